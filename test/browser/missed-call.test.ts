import { expect, test } from 'vitest';
import { newPhoneNumber } from '../harness/world.ts';
import { documentationTests, eventually, password } from './documentation.ts';

const tests = documentationTests();
const { email, visitAgain } = tests;

test('On the documentation page somebody plays a missed call and sees the text go out, and of a second call why there is none', async () => {
  const { host } = tests;
  const { token, user } = await host.call('POST /api/auth/login', undefined, { email, password });
  const organization = `/api/organizations/${user.organizationId}`;
  const number = { userId: user.id, provider: 'twilio', phoneNumber: newPhoneNumber() };
  const { data } = await host.call(`POST ${organization}/phone-numbers`, token, number);
  expect(data.status).toBe('active');
  await host.call(`PUT ${organization}/missed-call-message`, token, {
    missedCallMessage: 'Sorry we missed you, {{contactName}}.',
    missedCallAutoMessageEnabled: true,
  });

  const { page, logIn, told, complaints } = await visitAgain();
  await page.getByText('Play a missed call').click();
  const steps = page.getByRole('log').getByRole('listitem');
  const miss = page.getByRole('button', { name: 'Miss the call' });
  await miss.click();
  await eventually(() => steps.allTextContents()).toEqual(['Log in first.']);

  await logIn(email, password);
  await told('Logged in as Ada Admin, ADMIN');
  await miss.click();
  const ended = 'The call from +13035550183 ended: no-answer.';
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
  expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
});
