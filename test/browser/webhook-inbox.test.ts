import { expect, test } from 'vitest';
import type { User } from '../live/live-host.ts';
import { documentationTests, eventually, password } from './documentation.ts';

const { email, host, visitAgain } = await documentationTests({ operations: ['login'] });

test('The documentation page registers a webhook endpoint on the local host, and shows what it gets', async () => {
  const { page, logIn, told, problems } = await visitAgain();
  await page.getByText('See webhooks arrive').click();
  const steps = page.getByRole('log').getByRole('listitem');
  const register = page.getByRole('button', { name: 'Register an endpoint' });
  await register.click();
  await eventually(() => steps.allTextContents()).toEqual(['Log in first.']);

  await logIn(email, password);
  await told('Logged in as Ada Admin, ADMIN');
  await register.click();
  const first = [
    expect.stringMatching(`^${host.url}/_webhook-inbox gets every event\\. Its secret: whsec_`),
    expect.stringMatching(/^webhook_test: \{"id":/),
  ];
  await eventually(() => steps.allTextContents()).toEqual(first);
  const signedIn = await host.call('POST /api/auth/login', undefined, { email, password });
  const ada: User = { ...signedIn, ...signedIn.user };
  await host.call('POST /api/contacts/create', ada, { firstName: 'Grace' });
  const created = expect.stringMatching(/^contact_created: \{"id":.*"firstName":"Grace"/);
  await eventually(() => steps.allTextContents()).toEqual([...first, created]);

  await page.reload();
  await page.getByText('See webhooks arrive').click();
  await told('Logged in as Ada Admin, ADMIN');
  await register.click();
  await eventually(() => steps.allTextContents()).toEqual([
    `${host.url}/_webhook-inbox gets every event. Its secret: shown when it was registered`,
    first[1],
  ]);
  const { data } = await host.call('GET /api/webhook-endpoints', ada);
  expect(data).toMatchObject([{ url: `${host.url}/_webhook-inbox`, events: ['*'], isActive: true }]);
  expect(problems).toEqual([]);
});

test('Where no inbox is, the documentation page registers no endpoint', async () => {
  const { page, logIn, told, requests } = await visitAgain();
  await page.route(`${host.url}/_webhook-inbox`, (route) => route.fulfill({ status: 404 }));
  await logIn(email, password);
  await told('Logged in as Ada Admin, ADMIN');
  await page.getByText('See webhooks arrive').click();
  await page.getByRole('button', { name: 'Register an endpoint' }).click();
  const steps = page.getByRole('log').getByRole('listitem');
  await eventually(() => steps.allTextContents()).toEqual([
    'This service has no inbox: only a local host (npm run dev) has one.',
  ]);
  expect(requests).not.toContain('/api/webhook-endpoints');
});
