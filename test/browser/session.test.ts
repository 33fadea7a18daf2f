import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { introductionWith } from '../../infra/openapi/introduction.ts';
import { timeout } from '../harness/eventually.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { User } from '../live/live-host.ts';
import { openBrowser } from './browser.ts';
import { servePages } from './pages.ts';

/** The recipe as the documentation prints it, but for the address. */
const [, recipe = ''] = /```js\n([\s\S]*?)```/.exec(introductionWith('')) ?? [];
const printedAddress = "'https://api.example.com'";
const [host, browser] = await Promise.all([setUpLiveHost(), openBrowser()]);
const pages = await servePages(recipe.replace(printedAddress, JSON.stringify(host.url)));
afterAll(async () => {
  if (typeof browser === 'object') {
    await browser.close();
  }
  await pages.stop();
});

let context: BrowserContext;
beforeEach(async ({ skip }) => {
  if (typeof browser === 'string') {
    return skip(browser);
  }
  context = await browser.newContext();
  context.setDefaultTimeout(timeout);
});
afterEach(() => context?.close());

/** Tabs of one page that share a session. */
async function tabs(count: number, user?: Partial<User>): Promise<Page[]> {
  const opened = await Promise.all(
    Array.from({ length: count }, async () => {
      const page = await context.newPage();
      await page.goto(pages.origin);
      return page;
    }),
  );
  if (user !== undefined) {
    await keep(opened, user);
  }
  return opened;
}

const keep = ([tab]: Page[], user: Partial<User>) =>
  tab?.evaluate((answer) => localStorage.setItem('session', JSON.stringify(answer)), user);

const kept = (tab: Page) => tab.evaluate(() => JSON.parse(localStorage.getItem('session') ?? 'null'));

/** The paths and statuses of what the tabs ask the API. */
function watched(all: Page[]): string[] {
  const asked: string[] = [];
  for (const tab of all) {
    tab.on('response', (response) => {
      if (response.url().startsWith(host.url)) {
        asked.push(`${response.status()} ${new URL(response.url()).pathname}`);
      }
    });
  }
  return asked;
}

/** Calls the board with the recipe; what it answered, or the error that the page would show. */
const board = (tab: Page) =>
  tab.evaluate(async () => {
    const { exported } = globalThis as unknown as { exported: { call: typeof fetch } };
    try {
      const response = await exported.call('/api/contacts', { method: 'POST', body: '{}' });
      return { status: response.status, keys: Object.keys((await response.json()) as object) };
    } catch (error) {
      return (error as Error).message;
    }
  });
const answered = { status: 200, keys: expect.arrayContaining(['data', 'stageIdByName']) };

/** Exchanges a refresh token without the recipe. */
const exchange = (tab: Page, refreshToken: string) =>
  tab.evaluate(
    async ([url, token]) => {
      const body = JSON.stringify({ refreshToken: token });
      const response = await fetch(`${url}/api/auth/refresh`, { method: 'POST', body });
      return { status: response.status, body: (await response.json()) as Partial<User> };
    },
    [host.url, refreshToken] as const,
  );

test('The recipe is in the documentation, with the address to be replaced', () => {
  expect(recipe).toContain(printedAddress);
  expect(recipe).toContain("navigator.locks.request('switchboard-refresh'");
});

test('The recipe sends the headers of a call, in whatever form fetch takes them', async () => {
  const [tab] = (await tabs(1, await host.newOrganization())) as [Page];
  const sent: Record<string, string>[] = [];
  tab.on('request', (request) => {
    if (request.method() === 'POST') {
      sent.push(request.headers());
    }
  });
  const statuses = await tab.evaluate(async () => {
    const { exported } = globalThis as unknown as { exported: { call: typeof fetch } };
    const pairs: [string, string][] = [
      ['x-trace', 'a trace'],
      ['Authorization', 'Bearer of another'],
    ];
    const forms = [pairs, new Headers(pairs), Object.fromEntries(pairs), undefined];
    const call = (headers?: HeadersInit) =>
      exported.call('/api/contacts', { method: 'POST', body: '{}', ...(headers && { headers }) });
    return Promise.all(forms.map(async (headers) => (await call(headers)).status));
  });
  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(sent.map((headers) => headers['x-trace']).filter(Boolean)).toEqual(Array(3).fill('a trace'));
});

test('Three tabs whose access token is refused refresh once with the recipe, and all go on with the new tokens', async () => {
  const user = await host.newOrganization();
  const all = await tabs(3, { ...user, token: 'no longer valid' });
  const asked = watched(all);

  expect(await Promise.all(all.map(board))).toEqual([answered, answered, answered]);
  expect(asked.filter((one) => one.endsWith('/api/auth/refresh'))).toEqual(['200 /api/auth/refresh']);
  const sessions = await Promise.all(all.map(kept));
  expect(new Set(sessions.map(({ refreshToken }) => refreshToken)).size).toBe(1);
  expect(sessions[0].refreshToken).not.toBe(user.refreshToken);
});

test('Three tabs whose access token is refused refresh each for itself without it: one gets the tokens, the others are told so', async () => {
  const { refreshToken } = await host.newOrganization();
  const all = await tabs(3);

  const answers = await Promise.all(all.map((tab) => exchange(tab, refreshToken)));

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  for (const { body } of answers.filter(({ status }) => status === 401)) {
    expect(body).toMatchObject({ code: 'TOKEN_EXPIRED', reason: 'superseded' });
    expect(body).toHaveProperty('error', expect.stringContaining('another tab'));
  }
});

test('A tab that was superseded takes the tokens that the other one keeps', async () => {
  const user = await host.newOrganization();
  const [late, early] = (await tabs(2, { ...user, token: 'no longer valid' })) as [Page, Page];
  const won = await exchange(early, user.refreshToken);
  expect(won.status).toBe(200);
  const asked = watched([late]);
  await late.route('**/api/auth/refresh', async (route) => {
    const response = await route.fetch();
    await keep([early], won.body);
    await route.fulfill({ response });
  });

  expect(await board(late)).toEqual(answered);
  expect(asked).toEqual(['401 /api/contacts', '401 /api/auth/refresh', '200 /api/contacts']);
  expect(await kept(late)).toEqual(won.body);
});

test('A tab whose session was ended is told to log in again, and so is the next one', async () => {
  const user = await host.newOrganization();
  const [tab, other] = (await tabs(2, { ...user, token: 'no longer valid' })) as [Page, Page];
  await host.call('POST /api/auth/logout', undefined, { refreshToken: user.refreshToken });

  expect(await board(tab)).toBe('Log in again.');
  expect(await kept(tab)).toBeNull();
  expect(await board(other)).toBe('Log in first.');
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
