import { Client, type ClientConfig } from 'pg';
import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import { countedIndex, counters, indexes, tables } from './schema.ts';
import type { Totals } from './statements.ts';

/** The records before there are contacts. The ids are those of Switchboard. */
export interface Ground {
  readonly organizations: readonly {
    readonly organizationId: string;
    readonly pipelineId: string;
    readonly stages: readonly { readonly _id: string; readonly name: string }[];
  }[];
  readonly accounts: readonly {
    readonly userId: string;
    readonly organizationId: string;
    readonly email: string;
    readonly role: string;
    /** As a PHC string. */
    readonly passwordHash: string;
  }[];
  readonly configuration: { readonly id: string; readonly organizationId: string };
  readonly number: { readonly value: string; readonly organizationId: string; readonly userId: string };
}

const contactsAtOnce = 1_000;

/** Creates a database with the tables, and the records before there are contacts. */
export async function createDatabase(server: ClientConfig, name: string, ground: Ground): Promise<void> {
  await using maintenance = await connected({ ...server, database: 'postgres' });
  await maintenance.client.query(`CREATE DATABASE ${name}`);
  await using database = await connected({ ...server, database: name });
  const { client } = database;
  await client.query(tables);
  for (const { organizationId, pipelineId, stages } of ground.organizations) {
    await client.query(`INSERT INTO pipeline VALUES ($1, $2, 'Contact', true)`, [pipelineId, organizationId]);
    for (const [position, { _id, name: stageName }] of stages.entries()) {
      await client.query('INSERT INTO stage VALUES ($1, $2, $3, $4)', [_id, pipelineId, position, stageName]);
    }
  }
  for (const { userId, organizationId, email, passwordHash, role } of ground.accounts) {
    const values = [userId, organizationId, email, passwordHash, role];
    await client.query(`INSERT INTO account VALUES ($1, $2, $3, $4, $5, 'Test', 'Person')`, values);
  }
  const { configuration, number } = ground;
  await client.query(`INSERT INTO outreach_configuration VALUES ($1, $2, NULL, 'Website', true)`, [
    configuration.id,
    configuration.organizationId,
  ]);
  const values = [number.value, number.organizationId, number.userId];
  await client.query('INSERT INTO phone_assignment VALUES ($1, $2, $3)', values);
  await client.query(indexes);
}

/** Adds what totals need: an index to count with, or a table of totals with the triggers that update it. */
export async function prepareTotals(database: ClientConfig, totals: Totals): Promise<void> {
  await using connection = await connected(database);
  await connection.client.query(forTotals[totals]);
}

const forTotals: Record<Totals, string> = { counted: countedIndex, kept: counters };
const withoutTotals: Record<Totals, string> = {
  counted: 'DROP INDEX contact_stage',
  kept: 'DROP TRIGGER contact_counted ON contact; DROP FUNCTION count_contact, views_of; DROP TABLE board_counter',
};

const indexNames = ['contact_column', 'contact_names', 'contact_numbers', 'contact_phone_contact'];

/** Loads contacts without their indexes and triggers, which it creates afterwards, and updates the planner's statistics. */
export async function loadContacts(
  database: ClientConfig,
  contacts: readonly StoredContact[],
  totals: Totals,
): Promise<void> {
  await using connection = await connected(database);
  const { client } = connection;
  await client.query('BEGIN');
  await client.query(`DROP INDEX ${indexNames.join(', ')}`);
  await client.query(withoutTotals[totals]);
  for (let start = 0; start < contacts.length; start += contactsAtOnce) {
    const rows = contacts.slice(start, start + contactsAtOnce).map(rowOf);
    await client.query(insertContacts, [JSON.stringify(rows)]);
  }
  await client.query(
    `INSERT INTO contact_phone SELECT organization_id, n->>'value', id FROM contact, jsonb_array_elements(phone_numbers) n
    ON CONFLICT DO NOTHING`,
  );
  await client.query(indexes);
  await client.query('COMMIT');
  await client.query(forTotals[totals]);
  await client.query('VACUUM ANALYZE');
}

const columns = [
  ...[
    'id',
    'organization_id',
    'first_name',
    'last_name',
    'email',
    'phone_numbers',
    'source',
    'pipeline_id',
    'stage_id',
  ],
  ...['created_by', 'owner', 'assignees', 'custom_fields', 'tags', 'is_bulk_import', 'last_message_at'],
  ...['last_message_direction', 'created_at', 'updated_at', 'numbers'],
];

const insertContacts = `INSERT INTO contact (${columns.join(', ')})
  SELECT ${columns.join(', ')} FROM json_populate_recordset(NULL::contact, $1)`;

function rowOf(contact: StoredContact) {
  return {
    id: contact._id,
    organization_id: contact.organizationId,
    first_name: contact.firstName,
    last_name: contact.lastName,
    email: contact.email,
    phone_numbers: contact.phoneNumbers,
    source: contact.source,
    pipeline_id: contact.pipelineId,
    stage_id: contact.stageId,
    created_by: contact.createdBy,
    owner: contact.owner,
    assignees: contact.assignees,
    custom_fields: contact.customFields,
    tags: contact.tags,
    is_bulk_import: contact.isBulkImport,
    last_message_at: contact.lastMessageAt,
    last_message_direction: contact.lastMessageDirection,
    created_at: contact.createdAt,
    updated_at: contact.updatedAt,
    numbers: contact.phoneNumbers.map(({ value }) => value).join(' '),
  };
}

async function connected(config: ClientConfig): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client(config);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
