// The peer: what a team that starts with Fastify and PostgreSQL would build. A process of its own, which takes its settings as an
// argument, sends its parent the URL that it listens at, and ends with the parent.
import { type FastifyRequest, fastify } from 'fastify';
import { jwtVerify } from 'jose';
import { Pool, type PoolConfig } from 'pg';
import { ulid } from 'ulid';
import { searchFolded } from '../../../../shared/kernel/names/folded.ts';
import { boardSchema, type ContactRow, changeSchema, toColumns, toContact } from './answers.ts';
import { board, createContact, moveContact, searchContacts } from './statements.ts';

export interface PeerOptions {
  readonly database: PoolConfig;
  /** The secret of the access tokens, in hexadecimal digits. */
  readonly secret: string;
}

const { database, secret } = JSON.parse(process.argv[2] ?? '') as PeerOptions;
const pool = new Pool({ ...database, max: 16 });
// Imported once: jose would import plain bytes for each token.
const key = await crypto.subtle.importKey(
  'raw',
  Buffer.from(secret, 'hex'),
  { name: 'HMAC', hash: 'SHA-256' },
  false,
  ['verify'],
);

async function callerOf({ headers }: FastifyRequest) {
  const { payload } = await jwtVerify(headers.authorization?.slice('Bearer '.length) ?? '', key).catch(() => {
    throw Object.assign(new Error('The token is not valid.'), { statusCode: 401 });
  });
  return { userId: payload.sub, organizationId: payload.organizationId };
}

function onlyRow(rows: readonly ContactRow[]): ContactRow {
  const [row] = rows;
  if (row === undefined) {
    throw Object.assign(new Error('There is no such record.'), { statusCode: 404 });
  }
  return row;
}

const now = () => new Date().toISOString();
const text = { type: 'string', maxLength: 256 } as const;
const number = { type: 'string', pattern: '^\\+[1-9]\\d{1,14}$' } as const;

const server = fastify();

const boardQuery = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1, maximum: 100, default: 25 }, search: text },
};
server.post(
  '/api/contacts',
  { schema: { body: boardQuery, response: { 200: boardSchema } } },
  async (request) => {
    const { organizationId } = await callerOf(request);
    const { size, search = '' } = request.body as { size: number; search?: string };
    const wanted = searchFolded(search).trim();
    const pattern = `%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const { rows } = await pool.query(
      wanted === '' ? board([organizationId, size]) : searchContacts([organizationId, size, pattern]),
    );
    return { success: true, data: toColumns(rows) };
  },
);

const newContact = {
  type: 'object',
  properties: {
    firstName: text,
    lastName: text,
    email: text,
    source: text,
    tags: { type: 'array', items: text, maxItems: 50 },
    customFields: { type: 'object' },
    phoneNumbers: {
      type: 'array',
      maxItems: 10,
      items: { type: 'object', required: ['value'], properties: { value: number, label: text } },
    },
  },
};
server.post(
  '/api/contacts/create',
  { schema: { body: newContact, response: { 201: changeSchema } } },
  async (request, reply) => {
    const { organizationId, userId } = await callerOf(request);
    const sent = request.body as Record<string, string | undefined>;
    const { firstName = '', lastName = '', email = null, source = null, tags = [], customFields = {} } = sent;
    const { phoneNumbers = [] } = request.body as { phoneNumbers?: { value: string; label?: string }[] };
    const stored = phoneNumbers.map(({ value, label = '' }, at) => ({ value, label, isPrimary: at === 0 }));
    const { rows } = await pool.query(
      createContact([
        ...[organizationId, ulid(), userId, firstName, lastName, email, JSON.stringify(stored), source],
        ...[JSON.stringify(tags), JSON.stringify(customFields), now()],
        phoneNumbers.map(({ value }) => value).join(' '),
      ]),
    );
    const data = toContact(onlyRow(rows));
    return reply.code(201).send({ success: true, message: 'Contact created', data });
  },
);

const move = { type: 'object', required: ['stageId'], properties: { stageId: text } };
server.put(
  '/api/contacts/:id/stage',
  { schema: { body: move, response: { 200: changeSchema } } },
  async (request) => {
    const { organizationId } = await callerOf(request);
    const { id } = request.params as { id: string };
    const { stageId } = request.body as { stageId: string };
    const { rows } = await pool.query(moveContact([organizationId, id, stageId, now()]));
    const row = onlyRow(rows);
    return { success: true, message: `Contact moved to ${row.stage}`, data: toContact(row) };
  },
);

process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
process.on('disconnect', () => process.exit());
