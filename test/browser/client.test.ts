import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { introductionWith } from '../../infra/openapi/introduction.ts';
import type { ClientModule, LoadedClient } from '../client/loaded-client.ts';
import { setUpBrowserTests } from './host-and-context.ts';

/** What the documentation prints for pages, but for the address. */
const [, printed = ''] = /```js\n([\s\S]*?)```/.exec(introductionWith('')) ?? [];
/** Pages have that, and all that the client exports. */
const { host, pages, newPage } = await setUpBrowserTests(
  ({ url }) => `${printed.replaceAll('https://api.example.com', url)}\nexport * from '${url}/api/client.js';`,
);

/** A tab, and the statuses and paths of what it asks the service. */
async function openTab() {
  const page = await newPage();
  const asked: string[] = [];
  page.on('response', (response) => {
    if (response.url().startsWith(host.url) && response.request().method() !== 'OPTIONS') {
      asked.push(`${response.status()} ${new URL(response.url()).pathname}`);
    }
  });
  await page.goto(pages.origin);
  return { page, asked };
}

/** The email address of who is logged in, as the tab reads it; or why it cannot. */
const readMe = (page: Page) =>
  page.evaluate(() => {
    const { client } = (globalThis as unknown as { exported: BrowserClient }).exported;
    return client.readMe().then(
      ({ data }: { data: { user: { email: string } } }) => data.user.email,
      (error: Error) => error.message,
    );
  });

type BrowserClient = ClientModule & { readonly client: LoadedClient };

/** Spoils the access token that the tabs keep, as time does. */
const expire = (page: Page) =>
  page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('switchboard.session') ?? '{}');
    localStorage.setItem('switchboard.session', JSON.stringify({ ...session, token: 'no longer valid' }));
  });

test('Two tabs have one login, and renew its session once when its token has expired', async () => {
  const [one, other] = [await openTab(), await openTab()];
  const email = `${crypto.randomUUID()}@example.com`;
  const ada = {
    email,
    password: 'correct horse battery',
    firstName: 'Ada',
    lastName: 'Admin',
    role: 'ADMIN',
  };
  await one.page.evaluate(async (body) => {
    await (globalThis as unknown as { exported: BrowserClient }).exported.client.register(body);
  }, ada);
  await expire(one.page);

  expect(await Promise.all([readMe(one.page), readMe(other.page)])).toEqual([email, email]);
  const asked = [...one.asked, ...other.asked];
  expect(asked.filter((what) => what.endsWith('/refresh'))).toEqual(['200 /api/auth/refresh']);
  expect(asked.filter((what) => what === '200 /api/me')).toHaveLength(2);
});

test('A tab whose session was ended elsewhere is told so, and so is the next one', async () => {
  const user = await host.newOrganization();
  const [one, other] = [await openTab(), await openTab()];
  await one.page.evaluate(
    (session) => localStorage.setItem('switchboard.session', JSON.stringify(session)),
    user,
  );
  await expire(one.page);
  await host.call('POST /api/auth/logout', undefined, { refreshToken: user.refreshToken });
  expect(await readMe(one.page)).toMatch(/^GET \/api\/me was refused with 401: /);
  expect(await one.page.evaluate(() => localStorage.getItem('switchboard.session'))).toBeNull();
  expect(await readMe(other.page)).toMatch(/^GET \/api\/me was refused with 401: /);
});

test('A tab that was superseded takes the tokens that somebody without the client keeps', async () => {
  const user = await host.newOrganization();
  const { page, asked } = await openTab();
  const keep = (session: unknown) =>
    page.evaluate((text) => localStorage.setItem('switchboard.session', text), JSON.stringify(session));
  await keep(user);
  await expire(page);
  const { refreshToken } = user;
  const won = await host.call('POST /api/auth/refresh', undefined, { refreshToken });
  await page.route('**/api/auth/refresh', async (route) => {
    const response = await route.fetch();
    await keep(won);
    await route.fulfill({ response });
  });

  expect(await readMe(page)).toContain('@example.com');
  expect(asked).toEqual(['200 /api/client.js', '401 /api/me', '401 /api/auth/refresh', '200 /api/me']);
  expect(await page.evaluate(() => localStorage.getItem('switchboard.session'))).toBe(JSON.stringify(won));
});

test('A page and a worker get live events', async () => {
  const user = await host.newOrganization();
  const { page } = await openTab();
  const got = page.evaluate(
    async ([baseUrl, session, module]) => {
      const source = `import { createClient } from '${module}';
        const client = createClient(${JSON.stringify({ baseUrl, session })});
        const events = client.events();
        await events.opened;
        postMessage('open');
        for await (const { event, data } of events) {
          postMessage(event + ' ' + data.contactId);
        }`;
      const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
      const worker = new Worker(url, { type: 'module' });
      const fromWorker = new ReadableStream<string>({
        start(heard) {
          worker.onmessage = ({ data }) => heard.enqueue(data);
        },
      }).getReader();
      const { createClient } = (globalThis as unknown as { exported: BrowserClient }).exported;
      const client = createClient({ baseUrl, session });
      const events = client.events();
      await Promise.all([events.opened, fromWorker.read()]);
      const { data: contact } = await client.createContact({ firstName: 'Ada' });
      for await (const { event, data } of events) {
        const { value } = await fromWorker.read();
        return [`${event} ${data.contactId}`, value, `contact_created ${contact._id}`];
      }
      return [];
    },
    [host.url, { token: user.token, refreshToken: user.refreshToken }, `${pages.origin}/module.js`] as const,
  );
  const [inPage, inWorker, happened] = await got;
  expect([inPage, inWorker]).toEqual([happened, happened]);
});
