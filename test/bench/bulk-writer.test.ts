import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoadedTable, openTable } from '../../infra/seed/connection.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { ContactFields } from '../../shared/contacts/contact-fields.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { type Row, readRows } from '../seed/table.ts';
import { writeContacts } from './bulk-writer.ts';
import { generatedContacts } from './generated-contacts.ts';

let product: Product;
let endpoint: string;
let table: LoadedTable;

beforeAll(async () => {
  product = await startProduct();
  endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  table = openTable({ dynamodbEndpoint: endpoint, tableName: product.tableName });
});

afterAll(async () => {
  table?.[Symbol.dispose]();
  await product?.stop();
});

async function stagesOf(person: Person) {
  const { body } = await product.call('list-pipelines', { token: person.token, query: { type: 'Contact' } });
  const [pipeline] = body.data as { _id: string; stages: { _id: string }[] }[];
  return pipeline?.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })) ?? [];
}

/**
 * The rows of an organization, without what only operations leave behind: events, and the versions and changes of counters,
 * which only rise.
 */
async function rowsIn({ organizationId }: Person): Promise<Row[]> {
  const rows = await readRows(endpoint, product.tableName);
  return rows
    .filter(({ pk }) => pk.startsWith(`ORG#${organizationId}`) && !pk.includes('#EVENTS#'))
    .map(({ writeId: _, changes: __, ...row }) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !/^(r\d|v.{8})$/.test(name))),
    ) as Row[];
}

test('The bulk writer leaves a contact in the table as its creation through the operation does', async () => {
  const admin = await product.newOrganization();
  const colleague = await product.newColleague(admin);
  const empty = await rowsIn(admin);
  const fields = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    phoneNumbers: [{ value: '+15550100' }, { value: '+15550101', label: 'work' }],
    tags: ['vip'],
    customFields: { constructor: 'Babbage', text: 'x'.repeat(2_000) },
  };
  for (const more of [
    {},
    { owner: null, phoneNumbers: [] },
    { assignees: [colleague.userId], phoneNumbers: [] },
  ]) {
    const { status } = await product.call('create-contact', {
      token: admin.token,
      body: { ...fields, ...more },
    });
    expect(status).toBe(201);
  }
  const created = await rowsIn(admin);
  const added = created.filter(({ pk, sk }) => !empty.some((row) => row.pk === pk && row.sk === sk));
  const contacts = added.filter(({ sk }) => sk === 'CONTACT').map(({ data }) => data as StoredContact);
  const organization = table.organization(admin.organizationId);
  const keyOf = ({ pk, sk }: Row) => ({ partition: pk.split('#').slice(2), sort: sk.split('#') });
  for (const row of added) {
    await organization.commit([
      organization.delete(keyOf(row)),
      organization.delete({ partition: [], sort: ['-'] }),
    ]);
  }
  expect((await rowsIn(admin)).length).toBe(empty.length);

  await writeContacts(organization, contacts);

  expect(contacts).toHaveLength(3);
  expect(await rowsIn(admin)).toEqual(created);
});

test('The totals of the board are the number of its contacts, even when the bulk writer writes everything twice', async () => {
  const admin = await product.newOrganization();
  const colleague = await product.newColleague(admin);
  const stages = await stagesOf(admin);
  const wanted = {
    count: 200,
    organizationId: admin.organizationId,
    stages,
    users: [admin.userId, colleague.userId],
    seed: 7,
    now: new Date(),
  };
  const contacts = [...generatedContacts(wanted)];
  async function* asynchronously() {
    yield* generatedContacts(wanted);
  }

  for (const source of [asynchronously(), generatedContacts(wanted)]) {
    await writeContacts(table.organization(admin.organizationId), source);

    for (const person of [admin, colleague]) {
      const { body } = await product.call('list-contacts-by-stage', { token: person.token, body: {} });
      const totals = Object.values(body.data as Record<string, { total: number }>).map(({ total }) => total);
      expect(totals).toEqual(
        stages.map(
          ({ stageId }) =>
            contacts.filter(
              (contact) =>
                contact.stageId === stageId &&
                (person === admin ||
                  [contact.createdBy, contact.owner, ...contact.assignees].includes(person.userId)),
            ).length,
        ),
      );
    }
  }
});

test('The same seed makes the same contacts, each as a client could have sent it, with numbers of its own', () => {
  const wanted = {
    count: 500,
    organizationId: 'organization',
    stages: [{ pipelineId: 'pipeline', stageId: 'stage' }],
    users: ['user'],
    now: new Date('2026-05-04T10:00:00.000Z'),
  };
  const contacts = [...generatedContacts({ ...wanted, seed: 1 })];
  const numbers = contacts.flatMap(({ phoneNumbers }) => phoneNumbers.map(({ value }) => value));

  expect([...generatedContacts({ ...wanted, seed: 1 })]).toEqual(contacts);
  expect([...generatedContacts({ ...wanted, seed: 2 })]).not.toEqual(contacts);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const contact of contacts) {
    expect(ContactFields.parse(contact)).toEqual(
      expect.objectContaining({ phoneNumbers: contact.phoneNumbers }),
    );
  }
});
