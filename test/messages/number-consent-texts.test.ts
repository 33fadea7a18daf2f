import { beforeEach, expect, test } from 'vitest';
import { lockHolder, releasedLock } from '../../shared/contact-aggregate/number-locks.ts';
import { toConsent } from '../../shared/contacts/consent.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import { refused as refusedWith } from '../../shared/kernel/providers/sms-outcomes.ts';
import { after, hour, minute } from '../../shared/kernel/time.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { prepareNumbers, refused, stopped } from './number-consent-client.ts';
import { prepareOutgoing } from './outgoing.ts';
import { failedMessage } from './reported-message.ts';
import { webhookClient } from './webhook-client.ts';

const faults = setUpFaultyTable();
const tenants = await setUpTenants();
const { product, rep } = tenants;
const numbers = await prepareNumbers(tenants);
const { table, contacts } = numbers;
const outgoing = await prepareOutgoing(product);
beforeEach(() => product.queues.outgoingTexts.take());

test('A text that waits to be sent is not, once the contact that now has its number says STOP', async () => {
  const number = newPhoneNumber();
  const former = await numbers.having(number);
  const message = expectStatus(await numbers.send(former), 201).data;
  await numbers.setNumbers(former, newPhoneNumber());
  await numbers.having(number);
  await numbers.text(number, 'STOP');
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ to }) => to === number)).toEqual([]);
  const { data } = (await numbers.conversations.messages(message.conversationId)).body;
  expect(data).toMatchObject([{ status: 'failed', failure: { code: 'OPTED_OUT' } }]);
  expect(data[0]).not.toHaveProperty('to');
});

test('A text that waits to be sent is not, if its number has said STOP and no contact has it', async () => {
  const { number, id } = await stopped(numbers);
  await numbers.text(number, 'START');
  await numbers.send(id);
  await numbers.text(number, 'STOP');
  await numbers.setNumbers(id, newPhoneNumber());
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ to }) => to === number)).toEqual([]);
});

test('A text that waits to be sent goes to a number that its contact has lost and that wants texts', async () => {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  await numbers.send(id);
  await numbers.setNumbers(id, newPhoneNumber());
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ to }) => to === number)).toHaveLength(1);
});

test('A text that is scheduled before its contact gets a number that said STOP is not sent', async () => {
  const { number, id } = await stopped(numbers);
  const other = await numbers.having(newPhoneNumber());
  const sendAt = after(new Date(), 10 * 24 * hour);
  const scheduled = { contactId: other, content: 'Later', sendAt: sendAt.toISOString() };
  const { data } = expectStatus(await numbers.conversations.send(scheduled), 201);
  await numbers.setNumbers(id);
  await numbers.setNumbers(other, number);
  await clockClient(product).run(after(sendAt, minute));
  const { data: messages } = (await numbers.conversations.messages(data.conversationId)).body;
  expect(messages).toMatchObject([{ status: 'failed', failure: { code: 'OPTED_OUT' } }]);
});

test('A text that failed is not sent again to a number that said STOP to another contact', async () => {
  const { number, id } = await stopped(numbers);
  const { contactId, messageId } = await failedMessage(tenants);
  await numbers.setNumbers(id);
  await numbers.setNumbers(contactId, number);
  const retry = () => product.call('retry-message', { token: rep.token, path: { id: messageId } });
  expect((await retry()).status).toBe(409);
  await numbers.text(number, 'START');
  expect((await retry()).status).toBe(201);
});

/** A provider that refuses all: the recipient has opted out of messages from the sender. Source: Twilio, error 21610. */
const sendRefused = async () =>
  outgoing.tell(await outgoing.records(rep), {
    providers: { ...product.providers, sms: () => ({ send: async () => refusedWith(21610) }) },
  });

test('What the provider says by refusing a text stays with the number that the text was for', async () => {
  const [first, second] = [newPhoneNumber(), newPhoneNumber()];
  const id = await numbers.having(first, second);
  await numbers.text(second, 'Hello');
  // To the number that wrote last.
  await numbers.send(id);
  await sendRefused();
  expect((await numbers.consent(id)).sms).toBe('in');
  await numbers.setNumbers(id, first);
  const other = await numbers.having(second);
  expect(await numbers.consent(other)).toMatchObject({ sms: 'out', source: 'provider' });
  expect(await numbers.texts(other, second)).toEqual(refused);
});

test('What the provider says by refusing a text is not about the number that the contact has by now', async () => {
  const id = await numbers.having(newPhoneNumber());
  await numbers.send(id);
  await numbers.setNumbers(id, newPhoneNumber());
  await sendRefused();
  expect((await numbers.consent(id)).sms).toBe('in');
  expect((await numbers.send(id)).status).toBe(201);
});

test('The preview of a missed call knows what a number has said that no contact has any more', async () => {
  const { number, id } = await stopped(numbers);
  await numbers.remove(id);
  const preview = { callerNumber: number, at: new Date().toISOString() };
  const { data } = await arrange(organizationsClient(product, tenants.admin)('preview-missed-call', preview));
  expect(data).toMatchObject({ outcome: 'skipped', reason: 'opted_out' });
});

test('A STOP is not lost when its number moves after the message was looked up', async () => {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  let other = '';
  faults.next('TransactWriteItemsCommand', async (next) => {
    await numbers.setNumbers(id);
    other = await numbers.having(number);
    return next();
  });
  await numbers.text(number, 'STOP');
  expect((await numbers.consent(other)).sms).toBe('out');
});

test('The refusal of a provider counts for the number, although another contact has it by then', async () => {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  await numbers.send(id);
  await numbers.setNumbers(id, newPhoneNumber());
  const other = await numbers.having(number);
  await sendRefused();
  expect(await numbers.consent(other)).toMatchObject({ sms: 'out', source: 'provider' });
  expect((await numbers.consent(id)).sms).toBe('in');
});

test('The refusal of a provider counts for the number in its other notation', async () => {
  const id = await numbers.having('+551187650001');
  await numbers.send(id);
  await numbers.setNumbers(id, '+5511987650001');
  await sendRefused();
  expect(await numbers.consent(id)).toMatchObject({ sms: 'out', source: 'provider' });
});

test('What a user recorded for a contact without numbers counts before what its first number said earlier', async () => {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  await numbers.text(number, 'STOP');
  await numbers.text(number, 'START');
  await numbers.setNumbers(id);
  const { _id } = await numbers.create({ email: 'ada@example.com' });
  await numbers.state(_id, 'out');
  await numbers.setNumbers(_id, number);
  expect((await numbers.consent(_id)).sms).toBe('out');
});

test('A text to an assigned number of Brazil or Mexico arrives in either notation', async () => {
  const { admin } = tenants;
  for (const [assigned, called] of [
    ['+551187650099', '+5511987650099'],
    ['+525512345699', '+5215512345699'],
  ] as const) {
    const body = { userId: rep.userId, provider: 'twilio', phoneNumber: assigned };
    const path = { organizationId: admin.organizationId };
    await arrange(product.call('assign-phone-number', { token: admin.token, path, body }));
    const text = webhookClient(product, called).text({ From: newPhoneNumber(), Body: 'Hello' });
    expect(expectStatus(await text, 200).data.messageId).not.toBeNull();
  }
});

/** Whether a number wants texts, by the contact that has it or, if none has, by its lock. */
async function consentOfNumber(number: string): Promise<'in' | 'out'> {
  const lock = await table.read(phoneLockKey(number));
  const holder = lockHolder(lock);
  if (holder === undefined) {
    return releasedLock(lock)?.consent.sms ?? 'in';
  }
  const contact = await table.read(contactKey(holder));
  if (contact === undefined || !contact.data.phoneNumbers.some(({ value }) => value === number)) {
    throw new Error('The lock of a number names a contact that does not have it');
  }
  return toConsent(contact.data, number).sms;
}

const rounds = 25;
/** As many random series as `SEEDS` says. */
const seeds = Array.from({ length: Number(process.env.SEEDS ?? 2) }, (_, index) => index + 1);

test.each(seeds)(
  'Whatever moves five contacts, their deletions and new leads make of six numbers, each wants texts or not as it said last (%i)',
  async (seed) => {
    const random = randomness(seed);
    const all = Array.from({ length: 6 }, newPhoneNumber);
    const ids = await Promise.all(Array.from({ length: 5 }, () => numbers.having()));
    const said = new Map(all.map((number) => [number, 'in']));

    const some = () => all.filter(() => random.chance(0.4)).map((value) => ({ value }));
    /** Refused if another contact has a number, is deleted, or is changing. */
    const move = () => {
      const [place, phoneNumbers, isImport] = [random.below(ids.length), some(), random.chance(0.3)];
      const id = ids[place] ?? '';
      return isImport
        ? contacts.create({ lastName: 'Imported', phoneNumbers, isBulkImport: true }).then(({ body }) => {
            ids[place] = body.data?._id ?? id;
          })
        : contacts.update(id, { phoneNumbers });
    };
    const remove = async () => {
      const lock = await table.read(phoneLockKey(random.pick(all)));
      return contacts.remove(lockHolder(lock) ?? 'nobody');
    };
    const say = async () => {
      const number = random.pick(all);
      const wants = random.chance(0.5) ? 'in' : 'out';
      await numbers.text(number, wants === 'in' ? 'START' : 'STOP');
      said.set(number, wants);
    };
    const changes = [move, move, remove, () => numbers.lead(random.pick(all))];

    for (let round = 0; round < rounds; round += 1) {
      const others = Array.from({ length: 3 }, () => random.pick(changes)());
      await Promise.all([say(), ...others]);
      for (const number of all) {
        expect([round, number, await consentOfNumber(number)]).toEqual([round, number, said.get(number)]);
      }
    }
  },
);
