import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { ulid } from 'ulid';
import { Refusal } from './refusal.ts';
import { receiveLead, receiveText } from './statements.ts';

const text = { type: 'string', maxLength: 1_600 } as const;
const number = { type: 'string', pattern: '^\\+[1-9]\\d{1,14}$' } as const;

const lead = {
  type: 'object',
  required: ['configurationId', 'phoneNumber', 'firstName', 'lastName'],
  properties: {
    configurationId: text,
    phoneNumber: number,
    firstName: text,
    lastName: text,
    email: text,
    customData: { type: 'object' },
  },
} as const;

const sms = {
  type: 'object',
  required: ['MessageSid', 'From', 'To', 'Body'],
  properties: { MessageSid: text, From: number, To: number, Body: text, NumMedia: text },
} as const;

const received = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    message: { type: 'string' },
    data: {
      type: 'object',
      properties: {
        contactId: { type: 'string' },
        conversationId: { type: 'string' },
        messageId: { type: 'string' },
      },
    },
  },
} as const;

export function serveWebhooks(server: FastifyInstance, pool: Pool): void {
  server.post(
    '/api/webhook/outreach',
    { schema: { body: lead, response: { 200: received } } },
    async (request) => {
      const sent = request.body as Record<string, string> & { customData?: object };
      const { configurationId, phoneNumber, firstName, lastName, email = null, customData = {} } = sent;
      const at = new Date().toISOString();
      const { rows } = await pool.query(
        receiveLead([
          ...[configurationId, phoneNumber, ulid(), firstName, lastName, email, JSON.stringify(customData)],
          ...[at, ulid(), null],
        ]),
      );
      if (rows.length === 0) {
        throw new Refusal(404);
      }
      return answer('Lead received', rows[0]);
    },
  );

  server.post(
    '/api/webhook/:provider/sms',
    { schema: { body: sms, response: { 200: received } } },
    async (request) => {
      const { MessageSid, From, To, Body } = request.body as Record<string, string>;
      const at = new Date().toISOString();
      const { rows } = await pool.query(
        receiveText([
          ...[To, From, ulid(), 'Unknown', 'Sender', null, '{}', at, ulid(), at, ulid(), MessageSid, Body],
        ]),
      );
      if (rows.length === 0) {
        throw new Refusal(404);
      }
      return answer('Message received', rows[0]);
    },
  );
}

function answer(message: string, row: { contact_id: string; conversation_id: string; message_id?: string }) {
  const { contact_id: contactId, conversation_id: conversationId, message_id: messageId } = row;
  return { success: true, message, data: { contactId, conversationId, messageId } };
}
