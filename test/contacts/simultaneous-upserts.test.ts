import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { contactsClient } from './client.ts';
import { rawContacts } from './raw-table.ts';

const { product, admin, rep } = await setUpTenants();
const contacts = contactsClient(product, admin);
const sms = await newWebhookClient(product, admin, rep);
const leads = leadsClient(product, admin);
const { _id: configurationId } = await leads.configure();

const upsert = (body: Record<string, unknown>) =>
  product.call('upsert-contact', { token: admin.token, body });

const storedIds = async () => new Set((await rawContacts(product, admin.organizationId)).contacts);

/** Does it, and resolves with the ids of the contacts that came to be. */
async function createdBy(act: () => Promise<unknown>): Promise<string[]> {
  const before = await storedIds();
  await act();
  return [...(await storedIds())].filter((id) => !before.has(id));
}

test.each([
  ['phone number', () => ({ match: 'phone', phoneNumbers: [{ value: newPhoneNumber() }] })],
  ['email address', () => ({ match: 'email', email: 'hundred@example.com' })],
  ['externalId', () => ({ match: 'externalId', externalId: 'hundred' })],
])(
  'A hundred equal upserts of an unknown %s at once make one contact, and one says that it created it',
  async (_, fields) => {
    const body = { firstName: 'Hundred', tags: ['once'], ...fields() };
    let all: Awaited<ReturnType<typeof upsert>>[] = [];
    const [created, ...others] = await createdBy(async () => {
      all = await Promise.all(Array.from({ length: 100 }, () => upsert(body)));
    });
    expect(others).toEqual([]);
    expect(all.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 99 }, () => 200), 201]);
    expect(new Set(all.map((response) => response.body.data._id))).toEqual(new Set([created]));
  },
);

test('An upsert, a lead and a text of the same number at the same time make one contact with what each of them says', async () => {
  for (let round = 0; round < 5; round += 1) {
    const value = newPhoneNumber();
    const [contactId, ...others] = await createdBy(() =>
      Promise.all([
        ...[0, 1, 2].map(async () =>
          upsert({
            match: 'phone',
            phoneNumbers: [{ value }],
            externalId: `crm-${value}`,
            tags: ['upserted'],
          }),
        ),
        ...[0, 1].map((n) => arrange(leads.send(configurationId, { phoneNumber: value, wish: `lead ${n}` }))),
        ...[0, 1].map(async () => expectStatus(await sms.text({ From: value }), 200)),
      ]),
    );
    expect(others).toEqual([]);
    const { data } = expectStatus(await contacts.read(contactId ?? ''), 200);
    expect(data).toMatchObject({
      phoneNumbers: [{ value }],
      externalId: `crm-${value}`,
      tags: ['upserted'],
      customFields: { wish: expect.stringContaining('lead') },
      lastMessageDirection: 'inbound',
    });
  }
});

test('Upserts at once that find the same contact all leave their tags and custom fields on it', async () => {
  const email = 'joined@example.com';
  const { _id } = await contacts.created({ email });
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      upsert({ match: 'email', email, tags: [`tag ${n}`], customFields: { [`field ${n}`]: n } }),
    ),
  );
  expect(all.map(({ body }) => body.data._id)).toEqual(all.map(() => _id));
  const { data } = expectStatus(await contacts.read(_id), 200);
  expect(data.tags).toHaveLength(20);
  expect(Object.keys(data.customFields)).toHaveLength(20);
});
