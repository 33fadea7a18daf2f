import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { day, hour, after as later, minute, second } from '../../shared/kernel/time.ts';
import { queuedMailKey } from '../../shared/organizations/queued-mail.ts';
import { provideMail } from '../../shared/ports/mail.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { mailRefusal } from '../harness/recording-mail.ts';
import { mailClient } from './mail-client.ts';
import { changeUser, identityTable } from './records.ts';

const product = await setUpProduct();
/** The log lines of everything in the background since the last test. */
let lines: Record<string, unknown>[] = [];
const client = await mailClient(product, (line) => lines.push(line));
const { stream, settle, forget, reset, invite, accept, list, latestToken, deliverDelayed } = client;
const admin = await product.newOrganization();
const queue = product.queues.outgoingMail;

const newAddress = () => `${randomUUID()}@example.com`;
const invitationOf = async (email: string) => {
  const { body } = await list(admin);
  return body.data.find((one: { email: string }) => one.email === email);
};
/** The one email that waits in the table. */
const waiting = async () => (await stream.texts()).filter((text) => text.includes('OUTGOING_MAIL'));

/** The address of somebody whose email about a forgotten password the provider did not take. */
async function unsent(): Promise<string> {
  const { email } = await product.newColleague(admin);
  product.mail.behave(email, 'unavailable');
  await forget(email);
  await settle();
  return email;
}

afterEach(() => {
  queue.take();
  queue.behave('takes');
  lines = [];
});

test('Mail that the provider does not take is tried again after 1, 5, 15 and 15 minutes, and sent once', async () => {
  const email = await unsent();
  expect(lines.find(({ operation }) => operation === 'send-mail')).toMatchObject({
    level: 'error',
    tries: 0,
    problem: { name: 'Failure' },
  });

  const delays: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    delays.push(...(await deliverDelayed()).delays);
  }
  expect(delays).toEqual([1, 5, 15, 15]);
  product.mail.behave(email, 'sends');
  await deliverDelayed();
  expect(product.mail.to(email)).toHaveLength(1);
  expect(queue.waiting).toEqual([]);
  expect(await waiting()).toEqual([]);
  expect((await reset(latestToken(email))).status).toBe(200);
});

test('Tries of one email count once against what an account gets within an hour', async () => {
  const email = await unsent();
  for (let count = 0; count < 8; count += 1) {
    await deliverDelayed();
  }
  product.mail.behave(email, 'sends');
  for (let count = 0; count < 4; count += 1) {
    await forget(email);
  }
  await settle();
  await deliverDelayed();
  expect(product.mail.to(email)).toHaveLength(5);
});

test('The hour of a link begins when its email is sent, however long it has waited', async () => {
  const email = await unsent();
  product.mail.behave(email, 'sends');
  const sentAt = later(new Date(), 5 * hour);
  await deliverDelayed(sentAt);
  const token = latestToken(email);
  expect((await reset(token, {}, later(sentAt, hour + second))).status).toBe(400);
  expect((await reset(token, {}, later(sentAt, 59 * minute))).status).toBe(200);
});

test('Mail fails after a day, and the list of invitations says so, even where nobody has written it down', async () => {
  const [email, forgotten] = [newAddress(), newAddress()];
  product.mail.behave(email, 'unavailable');
  await invite(admin, { email });
  await settle();
  await deliverDelayed(later(new Date(), day - minute));
  expect(await invitationOf(email)).toMatchObject({ mailStatus: 'queued' });
  await deliverDelayed(later(new Date(), day + minute));
  expect(await invitationOf(email)).toMatchObject({
    status: 'pending',
    mailStatus: 'failed',
    mailProblem: 'The email could not be sent within a day. Invite the address again.',
  });
  expect(queue.waiting).toEqual([]);
  expect(await waiting()).toEqual([]);

  await invite(admin, { email: forgotten }, { at: later(new Date(), -day - minute) });
  expect(await invitationOf(forgotten)).toMatchObject({ mailStatus: 'failed' });
  await settle();
  expect(product.mail.to(forgotten)).toEqual([]);
});

test('An address that the provider refuses for good fails at once, with the reason', async () => {
  const email = newAddress();
  product.mail.behave(email, 'refuses');
  await invite(admin, { email });
  await settle();
  expect(await invitationOf(email)).toMatchObject({ mailStatus: 'failed', mailProblem: mailRefusal });
  expect(queue.waiting).toEqual([]);
  // Anybody can name an address that takes no email: no alarm.
  expect(lines).toContainEqual(expect.objectContaining({ operation: 'send-mail', refused: mailRefusal }));
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('An email that waited for a day in vain, and one that no sender is configured for, ring the alarm, each in its own words', async () => {
  await unsent();
  lines = [];
  await deliverDelayed(later(new Date(), day + minute));
  const message = 'The email about a forgotten password could not be sent within a day.';
  expect(lines).toMatchObject([{ level: 'error', problem: { name: 'MailFailed', message } }]);

  lines = [];
  const { mail } = product.providers;
  product.providers.mail = provideMail({ MAIL_PROVIDER: 'none', API_URL: 'https://api.example.com' });
  await forget((await product.newColleague(admin)).email);
  await settle();
  product.providers.mail = mail as NonNullable<typeof mail>;
  expect(lines.filter(({ operation }) => operation === 'send-mail')).toMatchObject([
    { level: 'error', problem: { message: expect.stringContaining('mailFrom') } },
  ]);
});

test('The email of an invitation is not sent once its inviter is disabled or has lost the role, and the list says why', async () => {
  for (const changes of [{ disabled: true }, { accessRole: 'DEPARTMENT_HEAD' }] as const) {
    const inviter = await product.newColleague(admin, 'ADMIN');
    const email = newAddress();
    await invite(inviter, { email });
    await changeUser(product, inviter, changes);
    await settle();
    expect(product.mail.to(email)).toEqual([]);
    expect(await invitationOf(email)).toMatchObject({
      status: 'pending',
      mailStatus: 'failed',
      mailProblem:
        'The user who sent the invitation has been disabled or may no longer assign this role. Invite the address again.',
    });
  }
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('An invitation that is deleted or replaced while its email waits is not sent', async () => {
  const [deleted, replaced] = [newAddress(), newAddress()];
  for (const email of [deleted, replaced]) {
    product.mail.behave(email, 'unavailable');
    await invite(admin, { email, role: 'ADMIN' });
  }
  await settle();
  const path = { id: (await invitationOf(deleted))._id };
  await product.call('delete-invitation', { token: admin.token, path });
  for (const email of [deleted, replaced]) {
    product.mail.behave(email, 'sends');
  }
  await invite(admin, { email: replaced, role: 'SALES_REP' });
  await settle();
  await deliverDelayed();
  expect(product.mail.to(deleted)).toEqual([]);
  expect(product.mail.to(replaced)).toHaveLength(1);
  expect((await accept(latestToken(replaced))).body.user.accessRole).toBe('SALES_REP');
});

test('Mail that another run is sending is postponed, and sent after a run that died', async () => {
  const email = await unsent();
  const [{ body = '' } = {}] = queue.waiting;
  product.mail.behave(email, 'sends');
  // As a run that died leaves it.
  const now = new Date();
  await identityTable(product).update(queuedMailKey(JSON.parse(body).mailId), {
    update: 'SET leasedUntil = :until',
    values: { until: later(now, 20 * second).toISOString() },
  });
  await deliverDelayed(now);
  expect(product.mail.to(email)).toEqual([]);
  await deliverDelayed(later(now, minute));
  expect(product.mail.to(email)).toHaveLength(1);
});

test('Mail that can be neither sent nor postponed is delivered again', async () => {
  await unsent();
  queue.behave('refuses');
  expect((await deliverDelayed()).result).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] });
  expect(await waiting()).toHaveLength(1);
});

test('Mail that cannot be handed over stays in the stream', async () => {
  const { email } = await product.newColleague(admin);
  queue.behave('refuses');
  await forget(email);
  await expect(settle()).rejects.toThrow();
});
