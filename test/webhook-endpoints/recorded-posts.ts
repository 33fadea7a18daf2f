import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';

/** A post that a receiver got. */
export interface ReceivedPost {
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Records posts and answers each as the function says. */
export function recordPosts(answer: (post: ReceivedPost) => Reply) {
  const received: ReceivedPost[] = [];
  const listener: RequestListener = async (request, response) => {
    const post = { headers: plain(request.headers), body: await text(request) };
    received.push(post);
    const { status, headers = {}, body = '' } = answer(post);
    response.writeHead(status, headers).end(body);
  };
  return { received, listener };
}

const plain = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
