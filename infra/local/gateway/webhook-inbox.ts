import type { IncomingMessage, ServerResponse } from 'node:http';
import { readLimitedBody } from '../limited-body.ts';

/** Posts that are shown. */
const shown = 100;

/** Bytes of a body: an event has at most 32 KB. */
const mostBytes = 64 * 1024;

/** A post as it came. */
interface InboxPost {
  readonly receivedAt: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Whether the request is for the inbox of webhooks. */
export const isForInbox = ({ url = '' }: IncomingMessage): boolean => /^\/_webhook-inbox(\?|$)/.test(url);

/**
 * Takes the posts of webhook endpoints, for developers to see what arrives, and shows the last hundred: as JSON, or as a page to a browser.
 * They are gone when the host ends.
 */
export class WebhookInbox {
  readonly #posts: InboxPost[] = [];

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request;
    if (method === 'POST') {
      const body = await readLimitedBody(request, mostBytes);
      if (body === undefined) {
        response.writeHead(413, { connection: 'close' }).end();
        return;
      }
      this.#posts.unshift({ receivedAt: new Date().toISOString(), headers, body: body.toString() });
      this.#posts.splice(shown);
      response.writeHead(204).end();
    } else if (method === 'GET' && headers.accept?.includes('text/html')) {
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...safely })
        .end(page(this.#posts));
    } else if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json', ...safely });
      response.end(JSON.stringify({ success: true, data: this.#posts }));
    } else {
      response.writeHead(405, { allow: 'GET, POST' }).end();
    }
  }
}

/** Whatever a post contains, the page runs nothing. */
const safely = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
};

function page(posts: readonly InboxPost[]): string {
  const rows = posts.map(
    ({ receivedAt, headers, body }) =>
      `<h2>${escaped(receivedAt)}</h2><pre>${escaped(
        Object.entries(headers)
          .filter(([name]) => name.startsWith('webhook-'))
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n'),
      )}</pre><pre>${escaped(body)}</pre>`,
  );
  return `<!doctype html><html lang="en"><title>Webhook inbox</title><h1>The last ${shown} posts</h1>${
    rows.join('') || '<p>None yet.</p>'
  }</html>`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
