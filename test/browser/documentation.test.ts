import axe from 'axe-core';
import { expect, test } from 'vitest';
import { newPhoneNumber } from '../harness/tenants.ts';
import type { User } from '../live/live-host.ts';
import { documentationTests, eventually, password } from './documentation.ts';

const tests = await documentationTests();
const { email, visit, visitAgain } = tests;

test('The documentation page loads without an error, a violation of its policy or a request to another origin', async () => {
  const { page, problems, requests } = await visit();
  await page.locator('.opblock').first().waitFor();
  expect(problems).toEqual([]);
  expect(requests).toEqual(['/api/docs', '/api/openapi.json']);
  expect(await page.title()).toBe('Switchboard API');
});

test('The documentation page begins with Auth, open, and Contacts, and folds every other group and the introduction', async () => {
  const { page } = await visit();
  await page.locator('.opblock').first().waitFor();
  const tags = await page
    .locator('.opblock-tag')
    .evaluateAll((all) => all.map((element) => element.getAttribute('data-tag')));
  expect(tags.slice(0, 2)).toEqual(['Auth', 'Contacts']);
  expect(await page.locator('.opblock-tag[data-is-open="true"]').count()).toBe(1);
  expect(await page.locator('.opblock.is-open').count()).toBe(0);
  expect(new URL(page.url()).hash).toBe('');
  const heading = page.getByRole('heading', { name: 'Live events' });
  expect(await heading.isVisible()).toBe(false);
  await page.locator('.info .sections > summary').click();
  await heading.waitFor();
});

test('The documentation page opens the operation of a deep link, and that of the link to log in', async () => {
  const { page } = await visit({ at: '/api/docs#/Contacts/create-contact' });
  const operation = page.locator('[id="operations-Contacts-create-contact"]');
  await operation.getByRole('button', { name: 'Try it out' }).waitFor();
  expect(await page.locator('.opblock-tag[data-is-open="true"]').count()).toBe(1);
  await page.getByRole('link', { name: 'Log in', exact: true }).click();
  await page.locator('[id="operations-Auth-login"]').getByRole('button', { name: 'Try it out' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/Auth/login');
});

test('The documentation page follows a link of a description to another group, and shows the chapter of that group', async () => {
  const { page } = await visit();
  await page.locator('.opblock').first().waitFor();
  const group = page.locator('.opblock-tag-section', { has: page.locator('[data-tag="Messages"]') });
  await page.locator('#operations-tag-Sms').getByRole('link', { name: 'Messages' }).click();
  await group.locator('.sections > summary').click();
  await group.getByRole('heading', { name: 'Sending later' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/Messages');
  expect(page.context().pages()).toHaveLength(1);
  await eventually(() => group.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(100);
});

test('The documentation page finds operations by words of their summaries and descriptions, in open groups', async () => {
  const { page } = await visitAgain();
  const found = () => page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
  await page.getByPlaceholder('Search operations').fill('REMOVED from its conversation provider');
  await eventually(found).toEqual(['operations-Messages-delete-message']);
  await page.locator('.opblock-summary-control').click();
  await page.getByRole('button', { name: 'Try it out' }).waitFor();
  await page.getByPlaceholder('Search operations').fill('sms');
  await eventually(() => page.locator('.opblock-tag[data-tag="Sms"]').count()).toBe(1);
  await page.getByPlaceholder('Search operations').fill('');
  await eventually(() => page.locator('.opblock-tag[data-is-open="true"]').count()).toBe(1);
});

test('The documentation page has its groups beside it, the plays below its name, and samples to copy in each operation', async () => {
  const { page } = await visit();
  await page.getByRole('navigation', { name: 'Groups' }).getByRole('link', { name: 'Pipelines' }).click();
  await page.locator('[id="operations-Pipelines-create-pipeline"] .opblock-summary-control').click();
  await page.getByText('curl', { exact: true }).click();
  await page.getByText("-d '{", { exact: false }).first().waitFor();
  const heights = await page
    .locator('.info .title, #plays, .operation-filter-input')
    .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().top));
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
  expect(heights).toHaveLength(3);
});

test.each(['light', 'dark'] as const)(
  'The documentation page has no critical or serious finding of axe-core in its %s theme, with operations open',
  async (colorScheme) => {
    const { page, logIn, open } = await visit({ colorScheme });
    await logIn(email, password);
    const operation = await open('Pipelines', 'list-pipelines');
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('tab', { name: 'Schema' }).first().click();
    for (const summary of await page.locator('.opblock .sections > summary, #plays summary').all()) {
      await summary.click();
    }
    await page.evaluate(axe.source);
    // The themes differ in their colors alone.
    const rules = colorScheme === 'light' ? {} : { runOnly: ['color-contrast'] };
    const { violations } = await page.evaluate(
      (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
      { resultTypes: ['violations' as const], ...rules },
    );
    const findings = violations
      .filter(({ impact }) => impact === 'critical' || impact === 'serious')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    expect(findings).toEqual([]);
  },
);

test('The documentation page shows the fields of a response under the name of its schema', async () => {
  const { open } = await visitAgain();
  const operation = await open('Auth', 'refresh');
  await operation.locator('.responses-table').getByText('Schema', { exact: true }).first().click();
  await operation.locator('.responses-table').getByText('SessionTokens', { exact: true }).first().waitFor();
  await operation.locator('.responses-table').getByText('socketToken', { exact: true }).first().waitFor();
});

test('The documentation page is light or dark as the reader likes it, even while it is open', async () => {
  const { page } = await visit({ colorScheme: 'dark' });
  const lightness = (selector: string, property: 'color' | 'backgroundColor') =>
    page.locator(selector).evaluate((element, name) => {
      const channels = getComputedStyle(element)[name as 'color'].match(/\d+/g) ?? [];
      return Math.max(...channels.slice(0, 3).map(Number)) > 128 ? 'light' : 'dark';
    }, property);
  const looks = async () =>
    `${await lightness('.info .title', 'color')} on ${await lightness('body', 'backgroundColor')}`;
  await eventually(looks).toBe('light on dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await eventually(looks).toBe('dark on light');
});

test('The documentation page plays a missed call and shows the text go out, and of a second call why there is none', async () => {
  const { host } = tests;
  const signedIn = await host.call('POST /api/auth/login', undefined, { email, password });
  const ada: User = { ...signedIn, ...signedIn.user };
  const organization = `/api/organizations/${ada.organizationId}`;
  const number = { userId: ada.id, provider: 'twilio', phoneNumber: newPhoneNumber() };
  const { data } = await host.call(`POST ${organization}/phone-numbers`, ada, number);
  expect(data.status).toBe('active');
  await host.call(`PUT ${organization}/missed-call-message`, ada, {
    missedCallMessage: 'Sorry we missed you, {{contactName}}.',
    missedCallAutoMessageEnabled: true,
  });

  const { page, logIn, told, problems } = await visitAgain();
  await page.getByText('Play a missed call').click();
  const steps = page.getByRole('log').getByRole('listitem');
  const miss = page.getByRole('button', { name: 'Miss the call' });
  await miss.click();
  await eventually(() => steps.allTextContents()).toEqual(['Log in first.']);

  await logIn(email, password);
  await told('Logged in as Ada Admin, ADMIN');
  await miss.click();
  const ended = 'The call from +13035550184 ended: no-answer.';
  await eventually(() => steps.allTextContents()).toEqual([ended, 'Text “Sorry we missed you.”: sent.']);
  await miss.click();
  await eventually(() => steps.allTextContents()).toEqual([
    ended,
    'No text: this number got one a short while ago. Try another number.',
  ]);
  await page.getByLabel('Caller’s number').fill('nobody');
  await miss.click();
  await eventually(() => steps.allTextContents()).toEqual([
    expect.stringMatching(/^callerNumber must be an E\.164 phone number/),
  ]);
  // The refusal that was asked for.
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
});

test('The documentation page simulates a workflow, and shows its texts and waits', async () => {
  const { host } = tests;
  const signedIn = await host.call('POST /api/auth/login', undefined, { email, password });
  const ada: User = { ...signedIn, ...signedIn.user };
  const position = { x: 0, y: 0 };
  const filter = [{ field: 'event.source', operator: 'equals', value: 'website' }];
  await host.call('POST /api/workflows', ada, {
    name: 'Answer the website',
    nodes: [
      { id: 'new', type: 'trigger', position, data: { event: 'contact.created', filter } },
      { id: 'hello', type: 'sendMessage', position, data: { content: 'Hi {{firstName}}' } },
      {
        id: 'answer',
        type: 'waitForEvent',
        position,
        data: { event: 'message.received', timeout: { value: 1, unit: 'days' } },
      },
    ],
    edges: [
      { id: '1', source: 'new', target: 'hello' },
      { id: '2', source: 'hello', target: 'answer' },
    ],
  });

  const { page, logIn, told, problems } = await visitAgain();
  await page.getByText('Try a workflow').click();
  const steps = page.locator('#workflow').getByRole('listitem');
  const simulate = page.getByRole('button', { name: 'Simulate' });
  await simulate.click();
  await eventually(() => steps.allTextContents()).toEqual(['Log in first.']);

  await logIn(email, password);
  await told('Logged in as Ada Admin, ADMIN');
  const path = (way: string) => [
    'Event: contact.created',
    'new (trigger): passed',
    'hello (sendMessage): passed “Hi Alex”',
    expect.stringMatching(/^answer \(waitForEvent\): waiting until \S/),
    `answer (waitForEvent): passed, along “${way}”`,
    'The run: finished.',
  ];
  await simulate.click();
  await eventually(() => steps.allTextContents()).toEqual(path('timeout'));
  await page.getByLabel('The events that it waits for happen').check();
  await simulate.click();
  await eventually(() => steps.allTextContents()).toEqual(path('received'));
  expect(problems).toEqual([]);
});

test('The documentation page fits on a phone: as it comes, unfolded, and with operations that were tried out', async () => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const { page, overhang, logIn, open, execute } = await visit(phone);
  await page.locator('.opblock').first().waitFor();
  expect(await overhang()).toBe(0);
  await page.locator('.info .sections > summary').click();
  expect(await overhang()).toBe(0);
  expect(await logIn(email, password)).toBe('200');
  expect(await overhang()).toBe(0);
  expect(await execute(await open('Contacts', 'list-contacts-by-stage'), {})).toBe('200');
  expect(await overhang()).toBe(0);
  const folded = page.locator('.opblock-tag[data-is-open="false"]');
  // A group that the page opens by itself meanwhile is not counted twice.
  while ((await folded.count()) > 0) {
    await folded.evaluateAll((groups) => {
      for (const group of groups) {
        (group as HTMLElement).click();
      }
    });
  }
  expect(await folded.count()).toBe(0);
  expect(await overhang()).toBe(0);
  // A page that is too wide makes the screen of a phone wider in turn.
  expect(await page.evaluate(() => window.innerWidth)).toBe(390);
});

test('The documentation page costs a browser that has it no more than asking whether it is still the same', async () => {
  const { page, reload } = await visit();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const paths = new Map<string, string>();
  const statuses = new Map<string, number>();
  network.on('Network.requestWillBeSent', ({ requestId, request }) =>
    paths.set(requestId, new URL(request.url).pathname),
  );
  network.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) =>
    statuses.set(requestId, statusCode),
  );
  await reload();
  await eventually(() =>
    Object.fromEntries([...paths].map(([requestId, path]) => [path, statuses.get(requestId)])),
  ).toEqual({ '/api/docs': 304, '/api/openapi.json': 304 });
});

test('The documentation page is where a browser that asks for nothing ends', async () => {
  const { page } = await visit({ at: '/' });
  expect(page.url()).toBe(`${tests.host.url}/api/docs`);
});

test('The documentation page cannot be put into a frame, where another page could take its clicks', async () => {
  const { headers } = await fetch(`${tests.host.url}/api/docs`);
  expect(headers.get('content-security-policy')?.split('; ')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-frame-options')).toBe('DENY');
});
