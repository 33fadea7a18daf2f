import { onClick } from './panel.ts';
import { sendRequest } from './request.ts';

/** The inbox of a local host, and the pause between two looks into it. */
const [inbox, pause] = ['/_webhook-inbox', 500];

interface InboxPost {
  readonly receivedAt: string;
  readonly body: string;
}

type Endpoint = Readonly<{ url: string; isActive: boolean; events: string[] }>;

/** Lets the reader register a webhook endpoint at the inbox of the local host, and shows what arrives there. */
export function followWebhooks(tokenNow: () => string | undefined): void {
  onClick({ button: 'webhooks-register', list: 'webhooks-steps' }, tokenNow, async (token, tell) => {
    let last = (await readInbox())[0]?.receivedAt ?? '';
    const url = `${location.origin}${inbox}`;
    const endpoints = '/api/webhook-endpoints';
    const { data: all } = await sendRequest(token, `${endpoints}?limit=100`);
    const known = all.find((one: Endpoint) => one.url === url && one.isActive && one.events.includes('*'));
    const { data, secret } =
      known === undefined
        ? await sendRequest(token, endpoints, { url, events: ['*'] })
        : { data: known, secret: 'shown when it was registered' };
    tell(`${url} gets every event. Its secret: ${secret}`);
    await sendRequest(token, `${endpoints}/${encodeURIComponent(data._id)}/test`, {});
    for (;;) {
      const posts = (await readInbox()).filter(({ receivedAt }) => receivedAt > last);
      last = posts[0]?.receivedAt ?? last;
      for (const { body } of posts.reverse()) {
        tell(`${JSON.parse(body).event}: ${body}`);
      }
      await new Promise((done) => setTimeout(done, pause));
    }
  });
}

/** The newest first. @throws where there is no inbox. */
async function readInbox(): Promise<InboxPost[]> {
  const response = await fetch(inbox);
  if (!response.ok) {
    throw new Error('This service has no inbox: only a local host (npm run dev) has one.');
  }
  return (await response.json()).data;
}
