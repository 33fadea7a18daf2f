import * as z from 'zod/mini';
import { callStatuses, shown } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import * as demo from '../../shared/demo-ids.ts';
import { ok } from '../../shared/kernel/envelope.ts';
import { Id } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/paging.ts';
import { callPage } from './model/call-list.ts';

export default operation({
  route: 'GET /api/calls',
  summary: 'List calls, newest first',
  description:
    "Without contactId: the calls of the users in the caller's scope. With it: the calls of a contact in that scope, whoever made them, and of any other contact those of these users. An id that names nobody the caller may see finds nothing.",
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
    const { records, nextCursor } = await callPage(table, caller, query);
    return ok({ data: records.map(({ data }) => shown(data)), nextCursor });
  },
});
