import * as z from 'zod/mini';
import { callStatuses, toCallResponse } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readCallPage } from './model/call-list.ts';

export default operation({
  route: 'GET /api/calls',
  summary: 'List calls, newest first',
  tool: { name: 'list_calls', when: 'To see who called whom, when, and what came of it.' },
  description:
    'Without `contactId`: the calls of the users in your scope. With it: all calls of that contact if the contact is in your scope, or else only its calls with users in your scope. A `contactId` that does not exist finds nothing, nor does a `userId` outside your scope without `contactId`.',
  family: 'calls',
  minimumRole: 'SALES_REP',
  query: z.object({
    contactId: z.optional(Id),
    userId: z.optional(Id),
    status: z.optional(z.enum(callStatuses)),
    ...pageQuery,
  }),
  descriptions: {
    contactId: 'Only calls with this contact.',
    userId: 'Only calls of this user.',
    status: 'Only calls with this status.',
    ...pageDescriptions,
  },
  output: listResponse(CallResponse),
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read' },
  async run({ query }, { table, caller }) {
    const { records, nextCursor } = await readCallPage(table, caller, query);
    return ok({ data: records.map(({ data }) => toCallResponse(data)), nextCursor });
  },
});
