import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { invitationKey } from '../../functions/auth/model/invitation.ts';
import { passwordResetKey } from '../../functions/auth/model/password-reset.ts';
import { day, epochSeconds, hour, after as later } from '../../shared/kernel/time.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { mailClient } from './mail-client.ts';
import { identityTable } from './records.ts';

/** Whatever anything writes into the log: on the console, in the background, and the line of each request. */
const printed: string[] = [];
for (const method of ['log', 'info', 'warn', 'error'] as const) {
  vi.spyOn(console, method).mockImplementation((...said: unknown[]) => void printed.push(said.join(' ')));
}

const product = await setUpProduct();
const { call } = product;
product.call = async (...given) => {
  const response = await call(...given);
  printed.push(JSON.stringify(response.consumed ?? {}));
  return response;
};
const client = await mailClient(product, (line) => printed.push(JSON.stringify(line)));
const { stream, settle, forget, reset, invite, accept, latestToken, deliverDelayed } = client;
const admin = await product.newOrganization();

test('A token is in its email and nowhere else: not in the table, in no queue and in no log; and neither is a password', async () => {
  const { email } = await product.newColleague(admin);
  const invitee = `${randomUUID()}@example.com`;
  const kept: string[] = [];
  const look = async () =>
    kept.push(...(await stream.texts()), ...product.queues.outgoingMail.waiting.map(({ body }) => body));

  for (const to of [email, invitee]) {
    product.mail.behave(to, 'unavailable');
  }
  await forget(email);
  await invite(admin, { email: invitee });
  await look();
  await settle();
  await look();
  for (const to of [email, invitee]) {
    product.mail.behave(to, 'sends');
  }
  await deliverDelayed();
  await look();

  const [resetToken, invitationToken] = [latestToken(email), latestToken(invitee)];
  const secret = `secret ${randomUUID()}`;
  await reset(resetToken, { password: 'short' });
  await accept(invitationToken, { password: secret, firstName: '' });
  expect((await reset(resetToken, { password: secret })).status).toBe(200);
  expect((await accept(invitationToken, { password: secret })).status).toBe(201);
  await look();
  await settle();
  await look();

  for (const name of ['hand-over-mail', 'send-mail', 'reset-password', 'accept-invitation']) {
    expect(printed.join('\n')).toContain(`"operation":"${name}"`);
  }
  for (const text of [resetToken, invitationToken, secret]) {
    const [, , random = text] = text.split('.');
    expect([...kept, ...printed].filter((one) => one.includes(random))).toEqual([]);
  }
});

test('A token is stored as a digest with a time to live, which ends within the hour or with the invitation, and not once it is used', async () => {
  const { email, userId } = await product.newColleague(admin);
  const start = new Date();
  const token = await client.resetToken(email);
  const stored = async () => (await identityTable(product).read(passwordResetKey(userId)))?.attributes;
  const { tokenDigest, expiresAt } = (await stored()) ?? {};
  expect(tokenDigest).toBe(toDigest(token));
  expect(expiresAt).toBeGreaterThanOrEqual(epochSeconds(later(start, hour)));
  expect(expiresAt).toBeLessThanOrEqual(epochSeconds(later(new Date(), hour)) + 1);
  expect((await reset(token)).status).toBe(200);
  expect(await stored()).not.toHaveProperty('tokenDigest');

  const invitation = await client.invited(admin, { email: `${randomUUID()}@example.com` });
  const kept = () => product.tableOf(admin.organizationId).table.read(invitationKey(invitation.id));
  const before = await kept();
  expect(before?.data.tokenDigest).toBe(toDigest(invitation.token));
  const end = new Date(before?.data.expiresAt ?? '');
  expect(end.getTime() - Date.parse(before?.data.createdAt ?? '')).toBe(7 * day);
  // It is listed for a month more.
  expect(before?.attributes?.expiresAt).toBe(epochSeconds(later(end, 30 * day)));
  expect((await accept(invitation.token)).status).toBe(201);
  expect((await kept())?.data).not.toHaveProperty('tokenDigest');
});
