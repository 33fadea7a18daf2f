import { Client, type ClientConfig } from 'pg';
import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { RacingOrganization } from '../contestant.ts';

/** With what substring search needs: trigrams of the folded names, and of the numbers. */
const tables = `
CREATE EXTENSION pg_trgm;
CREATE TABLE pipeline (
  id text PRIMARY KEY, organization_id text NOT NULL, type text NOT NULL, is_active boolean NOT NULL
);
CREATE INDEX ON pipeline (organization_id);
CREATE TABLE stage (
  id text PRIMARY KEY, pipeline_id text NOT NULL REFERENCES pipeline, position int NOT NULL, name text NOT NULL
);
CREATE INDEX ON stage (pipeline_id, position);
CREATE TABLE contact (
  id text COLLATE "C" PRIMARY KEY, organization_id text NOT NULL,
  first_name text NOT NULL, last_name text NOT NULL, email text, phone_numbers jsonb NOT NULL, source text,
  pipeline_id text NOT NULL, stage_id text NOT NULL, created_by text NOT NULL, owner text, assignees jsonb NOT NULL,
  custom_fields jsonb NOT NULL, tags jsonb NOT NULL, is_bulk_import boolean NOT NULL,
  last_message_at text, last_message_direction text, created_at text COLLATE "C" NOT NULL, updated_at text NOT NULL,
  names text NOT NULL GENERATED ALWAYS AS (
    replace(lower(normalize(first_name || ' ' || last_name, NFKC) COLLATE "und-x-icu"), 'ς', 'σ')
  ) STORED,
  numbers text NOT NULL
);
CREATE TABLE contact_phone (
  organization_id text NOT NULL, value text NOT NULL, contact_id text NOT NULL, PRIMARY KEY (organization_id, value)
);
CREATE TABLE outbox (
  id bigserial PRIMARY KEY, organization_id text NOT NULL, event text NOT NULL, at text NOT NULL, data jsonb NOT NULL
);`;

/** Created after the contacts are loaded, as is usual for bulk loads. */
const indexes = `
CREATE INDEX contact_column ON contact (stage_id, created_at DESC, id DESC);
CREATE INDEX contact_stage ON contact (stage_id);
CREATE INDEX contact_names ON contact USING gin (names gin_trgm_ops);
CREATE INDEX contact_numbers ON contact USING gin (numbers gin_trgm_ops);
CREATE INDEX contact_phone_contact ON contact_phone (contact_id);`;

/** Creates a database with the tables, and the records before there are contacts. */
export async function createDatabase(
  server: ClientConfig,
  { organizationId, pipelineId, stages }: RacingOrganization,
): Promise<ClientConfig> {
  const database = { ...server, database: 'race' };
  await using maintenance = await connected({ ...server, database: 'postgres' });
  await maintenance.client.query('CREATE DATABASE race');
  await using connection = await connected(database);
  const { client } = connection;
  await client.query(tables);
  await client.query(`INSERT INTO pipeline VALUES ($1, $2, 'Contact', true)`, [pipelineId, organizationId]);
  for (const [position, { _id, name }] of stages.entries()) {
    await client.query('INSERT INTO stage VALUES ($1, $2, $3, $4)', [_id, pipelineId, position, name]);
  }
  return database;
}

const contactsAtOnce = 1_000;

/** Loads contacts, then creates the indexes, and updates the planner's statistics. */
export async function loadContacts(
  database: ClientConfig,
  contacts: readonly StoredContact[],
): Promise<void> {
  await using connection = await connected(database);
  const { client } = connection;
  for (let start = 0; start < contacts.length; start += contactsAtOnce) {
    const rows = contacts.slice(start, start + contactsAtOnce).map(rowOf);
    await client.query(insertContacts, [JSON.stringify(rows)]);
  }
  await client.query(
    `INSERT INTO contact_phone SELECT organization_id, n->>'value', id FROM contact, jsonb_array_elements(phone_numbers) n
    ON CONFLICT DO NOTHING`,
  );
  await client.query(indexes);
  await client.query('VACUUM ANALYZE');
}

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

/** All columns but the one that PostgreSQL computes. */
const columns = `id, organization_id, first_name, last_name, email, phone_numbers, source, pipeline_id, stage_id, created_by, owner,
  assignees, custom_fields, tags, is_bulk_import, last_message_at, last_message_direction, created_at, updated_at, numbers`;

const insertContacts = `INSERT INTO contact (${columns})
  SELECT ${columns} FROM json_populate_recordset(NULL::contact, $1)`;

async function connected(config: ClientConfig): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client(config);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
