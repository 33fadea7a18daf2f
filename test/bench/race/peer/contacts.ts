import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { ulid } from 'ulid';
import { searchFolded } from '../../../../shared/kernel/names/folded.ts';
import type { AccessTokens } from './accounts.ts';
import { boardSchema, changeSchema, columnsOf, contactOf } from './contact-schema.ts';
import { Refusal } from './refusal.ts';
import {
  board,
  createContact,
  moveContact,
  renameStages,
  search as searchContacts,
  type Totals,
  updateContact,
} from './statements.ts';

const text = { type: 'string', maxLength: 256 } as const;

const fields = {
  firstName: text,
  lastName: text,
  email: text,
  source: text,
  tags: { type: 'array', items: text, maxItems: 50 },
  customFields: { type: 'object' },
} as const;

const numbers = {
  type: 'array',
  maxItems: 10,
  items: {
    type: 'object',
    required: ['value'],
    properties: { value: { type: 'string', pattern: '^\\+[1-9]\\d{1,14}$' }, label: text },
  },
} as const;

interface Fields {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly source?: string;
  readonly tags?: readonly string[];
  readonly customFields?: Readonly<Record<string, unknown>>;
  readonly phoneNumbers?: readonly { readonly value: string; readonly label?: string }[];
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const now = () => new Date().toISOString();
const pattern = (wanted: string) => `%${wanted.replaceAll(/[\\%_]/g, '\\$&')}%`;

export function serveContacts(
  server: FastifyInstance,
  pool: Pool,
  tokens: AccessTokens,
  totals: Totals,
): void {
  const wholeBoard = board(totals);
  const boardQuery = {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 1, maximum: 100, default: 25 }, search: text },
  };

  server.post(
    '/api/contacts',
    { schema: { body: boardQuery, response: { 200: boardSchema } } },
    async (request) => {
      const { organizationId } = await tokens.callerOf(request);
      const { size, search } = request.body as { size: number; search?: string };
      const wanted = searchFolded(search ?? '').trim();
      const { rows } = await pool.query(
        wanted === ''
          ? wholeBoard([organizationId, size])
          : searchContacts([organizationId, size, pattern(wanted), pattern(wanted)]),
      );
      return { success: true, data: columnsOf(rows) };
    },
  );

  server.post(
    '/api/contacts/create',
    {
      schema: {
        body: { type: 'object', properties: { ...fields, phoneNumbers: numbers } },
        response: { 201: changeSchema },
      },
    },
    async (request, reply) => {
      const { organizationId, userId } = await tokens.callerOf(request);
      const { phoneNumbers = [], ...sent } = request.body as Fields;
      const stored = phoneNumbers.map(({ value, label = '' }, index) => ({
        value,
        label,
        isPrimary: index === 0,
      }));
      const {
        firstName = '',
        lastName = '',
        email = null,
        source = null,
        tags = [],
        customFields = {},
      } = sent;
      const { rows } = await pool.query(
        createContact([
          ...[organizationId, ulid(), userId, firstName, lastName, email, json(stored), source, json(tags)],
          ...[json(customFields), now(), phoneNumbers.map(({ value }) => value).join(' ')],
        ]),
      );
      return reply.code(201).send({ success: true, message: 'Contact created', data: contactOf(rows[0]) });
    },
  );

  const change = { body: { type: 'object', properties: fields }, response: { 200: changeSchema } };
  server.put('/api/contacts/:id', { schema: change }, async (request) => {
    const { organizationId } = await tokens.callerOf(request);
    const { id } = request.params as { id: string };
    const {
      firstName = null,
      lastName = null,
      email = null,
      source = null,
      tags,
      customFields,
    } = request.body as Fields;
    const values = [firstName, lastName, email, source, json(tags), json(customFields), now()];
    const { rows } = await pool.query(updateContact([organizationId, id, ...values]));
    if (rows.length === 0) {
      throw new Refusal(404);
    }
    return { success: true, message: 'Contact updated', data: contactOf(rows[0]) };
  });

  const move = {
    body: { type: 'object', required: ['stageId'], properties: { stageId: text } },
    response: { 200: changeSchema },
  };
  server.put('/api/contacts/:id/stage', { schema: move }, async (request) => {
    const { organizationId } = await tokens.callerOf(request);
    const { id } = request.params as { id: string };
    const { stageId } = request.body as { stageId: string };
    const { rows } = await pool.query(moveContact([organizationId, id, stageId, now()]));
    if (rows.length === 0) {
      throw new Refusal(404);
    }
    return { success: true, message: `Contact moved to ${rows[0].stage}`, data: contactOf(rows[0]) };
  });

  server.put('/api/pipelines/:id', async (request) => {
    const { organizationId } = await tokens.callerOf(request);
    const { id } = request.params as { id: string };
    const { stages } = request.body as { stages: { _id: string; name: string }[] };
    const [ids, names] = [stages.map(({ _id }) => _id), stages.map(({ name }) => name)];
    await pool.query(renameStages([id, organizationId, ids, names]));
    return { success: true, message: 'Pipeline updated', data: { _id: id } };
  });
}
