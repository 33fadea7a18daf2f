import { expect, test } from 'vitest';
import { refused } from '../../shared/kernel/providers/sms-outcomes.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { numbersOf } from './number-consent-world.ts';
import { outgoingOf } from './outgoing.ts';
import { webhookClient } from './webhook-client.ts';

// Decisions 10, "Consent": a number that said STOP gets no text, whichever contact has it now.

const faults = setUpFaultyTable();
const world = await setUpWorld();
const { product, rep } = world;
const numbers = await numbersOf(world);
const outgoing = await outgoingOf(product);

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

const sendRefused = async () =>
  outgoing.tell(await outgoing.records(rep), {
    providers: { ...product.providers, sms: () => ({ send: async () => refused(21_610) }) },
  } as never);

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
  const { admin } = world;
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
