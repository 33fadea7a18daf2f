import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { User } from '../live/live-host.ts';
import { setUpBrowserTests } from './host-and-context.ts';
import { servePages } from './pages.ts';

const { host, pages, newPage } = await setUpBrowserTests();

/** Tabs of one page. */
async function tabs(count: number): Promise<Page[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const page = await newPage();
      await page.goto(pages.origin);
      return page;
    }),
  );
}

/** Exchanges a refresh token without the client. */
const exchange = (tab: Page, refreshToken: string) =>
  tab.evaluate(
    async ([url, token]) => {
      const body = JSON.stringify({ refreshToken: token });
      const response = await fetch(`${url}/api/auth/refresh`, { method: 'POST', body });
      return { status: response.status, body: (await response.json()) as Partial<User> };
    },
    [host.url, refreshToken] as const,
  );

test('Three tabs whose access token is refused refresh each for itself without the client: one gets the tokens, the others are told so', async () => {
  const { refreshToken } = await host.newOrganization();
  const all = await tabs(3);

  const answers = await Promise.all(all.map((tab) => exchange(tab, refreshToken)));

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  for (const { body } of answers.filter(({ status }) => status === 401)) {
    expect(body).toMatchObject({ code: 'TOKEN_EXPIRED', reason: 'superseded' });
    expect(body).toHaveProperty('error', expect.stringContaining('another tab'));
  }
});

test('A page of another origin may send headers for tracing and an idempotency key, and can read what identifies the response', async () => {
  const { token } = await host.newOrganization();
  const [tab] = (await tabs(1)) as [Page];

  const answer = await tab.evaluate(
    async ([url, bearer]) => {
      const response = await fetch(`${url}/api/contacts/create`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
          'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124',
          'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324',
        },
        body: JSON.stringify({ firstName: 'Ada' }),
      });
      const names = ['x-request-id', 'apigw-requestid', 'date'];
      return { status: response.status, headers: names.map((name) => response.headers.get(name)) };
    },
    [host.url, token] as const,
  );

  expect(answer).toEqual({ status: 201, headers: [0, 0, 0].map(() => expect.stringMatching(/./)) });
});

test('A page of another origin sees why it was refused: 401 with its challenge, even by the gateway', async () => {
  const [tab] = (await tabs(1)) as [Page];
  const refusals = await tab.evaluate(async (url) => {
    const init = { method: 'POST', body: '{}' };
    const answers = await Promise.all([
      fetch(`${url}/api/contacts`, { ...init, headers: { authorization: 'Bearer nonsense' } }),
      fetch(`${url}/api/contacts`, init),
    ]);
    return answers.map(({ status, headers }) => [status, headers.get('www-authenticate')]);
  }, host.url);
  expect(refusals).toEqual([
    [401, 'Bearer'],
    [401, null],
  ]);
});

test('A page of another origin is kept by this browser from a server that does not allow it', async () => {
  const strict = await servePages();
  const [tab] = (await tabs(1)) as [Page];
  const outcome = await tab.evaluate((url) => fetch(url).catch((error) => error.message), strict.origin);
  await strict.stop();
  expect(outcome).toBe('Failed to fetch');
});

/** What a script sees of a connection that does not come about. */
const attempt = (tab: Page, token: string) =>
  tab.evaluate(
    ([url, query]) =>
      new Promise((resolve) => {
        const seen: unknown[] = [];
        const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/socket?token=${query}`);
        socket.onopen = () => seen.push('open');
        socket.onerror = () => seen.push('error');
        socket.onclose = ({ code, reason, wasClean }) => resolve([...seen, { code, reason, wasClean }]);
      }),
    [host.url, token] as const,
  );
const asIfTheNetworkFailed = ['error', { code: 1006, reason: '', wasClean: false }];

test('A refused handshake is an error and a close with code 1006 to a page, whatever the cause', async () => {
  const { token } = await host.newOrganization();
  const [tab] = (await tabs(1)) as [Page];
  for (const bad of ['', 'nonsense', token]) {
    expect(await attempt(tab, bad), bad).toEqual(asIfTheNetworkFailed);
  }
});
