import { beforeEach, expect, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newSid } from '../messages/webhook-client.ts';

// Text messages to a number that nobody has wait until it is assigned, perhaps to an organization that has deleted their sender since.

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const stream = await tableStream(product);

/** The number that nobody has, and the sender. */
let [To, From] = ['', ''];
beforeEach(() => {
  [To, From] = [newPhoneNumber(), newPhoneNumber()];
});

const text = (from: string, Body: string, at = new Date()) =>
  arrange(
    product.call('receive-sms', {
      path: { provider: 'twilio' },
      body: { MessageSid: newSid(), From: from, To, Body },
      at,
    }),
  );

/** Gives the number to a user of the organization, who then gets what waited for it. */
async function assign(): Promise<void> {
  await arrange(
    product.call('assign-phone-number', {
      token: admin.token,
      path: { organizationId: admin.organizationId },
      body: { userId: rep.userId, provider: 'twilio', phoneNumber: To },
    }),
  );
  await stream.settle();
}

async function createAndDelete(number: string): Promise<void> {
  const { _id: id } = await tenants.newContact({ phoneNumbers: [{ value: number }] });
  await stream.settle();
  await arrange(product.call('delete-contact', { token: rep.token, path: { id } }));
  await stream.settle();
}

const rowsWith = async (number: string) =>
  (await stream.texts()).filter(
    (row) => row.includes(number.slice(1)) && !/^pk: ORG#[^#]+#EVENTS#/m.test(row),
  );

test('A text that waited for its number does not bring back its sender, whom the organization has deleted since', async () => {
  const other = newPhoneNumber();
  await text(From, 'From before');
  await text(other, 'From somebody else');
  await createAndDelete(From);
  await assign();
  expect(await rowsWith(From)).toEqual([]);
  expect((await rowsWith(other)).some((row) => row.includes('From somebody else'))).toBe(true);
});

test('A text that came after its sender was deleted is delivered once its number is assigned', async () => {
  await createAndDelete(From);
  await text(From, 'From after', after(new Date(), minute));
  await assign();
  expect((await rowsWith(From)).some((row) => row.includes('From after'))).toBe(true);
});

test('A text that waited for its number is delivered if another organization has deleted its sender', async () => {
  await text(From, 'To whoever has it');
  const otherRep = await product.newOrganization();
  const body = { firstName: 'Ada', lastName: 'Lovelace', phoneNumbers: [{ value: From }] };
  const { data } = await arrange(product.call('create-contact', { token: otherRep.token, body }));
  await stream.settle();
  await arrange(product.call('delete-contact', { token: otherRep.token, path: { id: data._id } }));
  await stream.settle();
  await assign();
  expect((await rowsWith(From)).some((row) => row.includes('To whoever has it'))).toBe(true);
});

const consentOf = async (id: string) =>
  (await arrange(product.call('read-contact', { token: rep.token, path: { id } }))).data.consent.sms;

test('A STOP that waited for its number counts although its sender was deleted since, whichever contact has the number then', async () => {
  await text(From, 'Stop.');
  await createAndDelete(From);
  await assign();
  expect(await rowsWith(From)).toEqual([]);
  const again = await tenants.newContact({ phoneNumbers: [{ value: From }] });
  expect(await consentOf(again._id)).toBe('out');
});

test('A STOP that waited for its number counts for the contact that got the number after its sender was deleted', async () => {
  await text(From, 'quit');
  await createAndDelete(From);
  const again = await tenants.newContact({ phoneNumbers: [{ value: From }] });
  expect(await consentOf(again._id)).toBe('in');
  await assign();
  expect(await consentOf(again._id)).toBe('out');
  expect((await stream.texts()).some((row) => row.includes('quit'))).toBe(false);
});
