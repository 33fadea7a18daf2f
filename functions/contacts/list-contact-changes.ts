import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readHeldPage } from '../../shared/contacts/holdings.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ActorResponse } from '../../shared/kernel/schemas/actor-response.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, dateTime, Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { canBeUndone, contactChangeRange } from './model/joining/contact-change.ts';

export default operation({
  route: 'GET /api/contact-changes',
  summary: 'List the merges of a contact that can be undone',
  description:
    'Those of the last 30 days, newest first, with those that were undone. You need to see the contact.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({ contactId: Id, ...pageQuery }),
  descriptions: { contactId: 'The contact that others were merged into.', ...pageDescriptions },
  output: listResponse(
    described(
      z.object({
        _id: anyString,
        type: z.enum(['merge']),
        contactId: anyString,
        otherContactId: anyString,
        at: dateTime,
        actor: ActorResponse,
        undoneAt: z.nullable(dateTime),
      }),
      {
        _id: 'The id of the change: the `changeId` of a merge.',
        type: 'What it was.',
        contactId: 'The contact.',
        otherContactId: 'The contact that was merged into it.',
        at: 'When.',
        actor: 'Who did it.',
        undoneAt: 'When it was undone; null unless it was.',
      },
      { id: 'ContactChange', description: 'A merge of two contacts.' },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read' },
  async run({ query: { contactId, ...paging } }, { table, caller, now }) {
    const finding = findContact(table, caller, contactId);
    const { records, nextCursor } = await readHeldPage(table, contactId, finding, contactChangeRange, paging);
    const data = records
      .map(({ data: change }) => change)
      .filter((change) => canBeUndone(change, now))
      .map(({ _id, type, contactId: id, otherContactId, at, actor, undoneAt = null }) => ({
        ...{ _id, type, contactId: id, otherContactId, at, actor, undoneAt },
      }));
    return ok({ data, nextCursor });
  },
});
