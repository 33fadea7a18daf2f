import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { type Sending, sendMail } from '../../functions/auth/model/send-mail.ts';
import type { MailProvider } from '../../shared/kernel/providers/mail-provider.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { mailClient } from './mail-client.ts';
import { identityTable } from './records.ts';

const product = await setUpProduct();
const { stream, settle, forget, reset, latestToken } = await mailClient(product);
const admin = await product.newOrganization();
const identity = identityTable(product);

const sending = (more: Partial<Sending> = {}): Sending => ({
  identity,
  organizations: (id) => product.tableOf(id).table,
  trialPolicy: trialPolicies.open,
  mail: product.mail,
  now: new Date(),
  newId: ulid,
  ...more,
});

/** The ids of the emails for somebody who says twice that the password is forgotten. */
async function twoMails(email: string): Promise<[string, string]> {
  // Those about earlier changes of passwords.
  await stream.settle();
  product.queues.outgoingMail.take();
  await forget(email);
  await forget(email);
  await stream.settle();
  const [one = '', another = ''] = product.queues.outgoingMail
    .take()
    .map(({ body }) => JSON.parse(body).mailId);
  return [one, another];
}

test('When two links are requested at once, the one that is sent last works, whichever email the provider takes longer for', async () => {
  const { email } = await product.newColleague(admin);
  const [one, another] = await twoMails(email);
  const [asked, responses, refused] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const slow: MailProvider = {
    ...product.mail,
    async send(mail) {
      asked.resolve();
      await responses.promise;
      return product.mail.send(mail);
    },
  };
  const first = sendMail(one, sending({ mail: slow }));
  await asked.promise;
  const looking: typeof identity = {
    ...identity,
    update: (key, change) =>
      identity.update(key, change).catch((error: unknown) => {
        refused.resolve();
        throw error;
      }),
  };
  const second = sendMail(another, sending({ identity: looking }));
  await Promise.race([second, refused.promise]);
  responses.resolve();
  await Promise.all([first, second]);
  expect(product.mail.to(email)).toHaveLength(2);
  expect((await reset(latestToken(email))).status).toBe(200);
});

test('A link that the provider could not take holds up the next one no longer', async () => {
  const { email } = await product.newColleague(admin);
  const [one, another] = await twoMails(email);
  product.mail.behave(email, 'unavailable');
  await expect(sendMail(one, sending())).rejects.toThrow();
  product.mail.behave(email, 'sends');
  await sendMail(another, sending());
  await sendMail(one, sending());
  expect(product.mail.to(email)).toHaveLength(2);
  expect((await reset(latestToken(email))).status).toBe(200);
  await settle();
});
