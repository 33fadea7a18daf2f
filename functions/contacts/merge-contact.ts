import * as z from 'zod/mini';
import { findAggregate, toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactMerged } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { forwardKey } from '../../shared/contacts/holdings.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, Id } from '../../shared/kernel/schemas/fields.ts';
import { after, timestamp } from '../../shared/kernel/time.ts';
import { type ContactChange, contactChangeKey, undoneWithin } from './model/joining/contact-change.ts';
import { jointActions } from './model/joining/joint-writes.ts';
import { mergedState, type preferredFields } from './model/joining/merged-contact.ts';
import { requireRoom } from './model/joining/room.ts';

const Choice = z.optional(z.enum(['this', 'from']));

export default operation({
  route: 'POST /api/contacts/{id}/merge',
  summary: 'Merge another contact into this one',
  description: [
    'Everything of `from` belongs to this contact then: conversations, messages, calls, notes, applications, reminders, snapshots, runs of workflows, numbers, tags and fields. Empty fields are filled, lists are joined, the other owner becomes an assignee. You need to see both.',
    'Ids of records stay, consent stays with each number, conversations stay apart. Reading `from` is 404 with `mergedInto`. Its workflow runs continue with this contact; the merge is the event `contact_merged`, and starts nothing but `contact.merged`. `changeId` undoes it within 30 days. [Contacts](#/Contacts) says more.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: z.object({
    from: Id,
    prefer: z.optional(
      described(
        z.object({
          firstName: Choice,
          lastName: Choice,
          email: Choice,
          externalId: Choice,
          source: Choice,
          owner: Choice,
          stage: Choice,
          customFields: Choice,
        } satisfies Record<(typeof preferredFields)[number], typeof Choice>),
        {
          firstName: 'Whose first name.',
          lastName: 'Whose last name.',
          email: 'Whose email address.',
          externalId: 'Whose `externalId`; the other one still finds the contact.',
          source: 'Whose source.',
          owner: 'Whose owner; the other one becomes an assignee.',
          stage: 'Whose stage.',
          customFields: 'Whose values of custom fields that both have.',
        },
      ),
    ),
  }),
  descriptions: {
    from: 'The contact to merge into this one. It is gone then.',
    prefer: 'Where both have a value, which to keep: that of `this` (the default) or of `from`.',
  },
  output: described(z.object({ data: ContactResponse, changeId: anyString }), {
    data: 'The contact with everything of both.',
    changeId: 'Undoes it: `POST /api/contact-changes/{id}/undo`.',
  }),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.ada }, body: { from: demo.duplicateOfAda, prefer: { source: 'from' } } },
  uses: { table: 'write' },
  async run({ path, body: { from: fromId, prefer = {} } }, { table, caller, now, newId }) {
    if (fromId === path.id) {
      throw new Failure('INVALID', 'from must be another contact than the one to merge it into');
    }
    const [changeId, eventId] = [childId(path.id, newId()), newId()];
    const at = timestamp(now);
    return table.optimistically(async () => {
      const [into, from, { data }] = await Promise.all([
        findAggregate(table, caller, path.id),
        findAggregate(table, caller, fromId),
        readPipelines(table),
      ]);
      const [before, gone] = [into.contact.data, from.contact.data];
      const state = mergedState(toContactState(into), toContactState(from), prefer, at);
      const { contact } = state;
      const stage = stageById(data.pipelines, contact.stageId);
      const change: ContactChange = {
        ...{ _id: changeId, contactId: path.id, type: 'merge', otherContactId: fromId, at },
        actor: table.origin.actor,
        before: { contact: before, other: gone },
        after: contact,
        moved: [...from.conversations, ...from.applications].map(({ data: { _id } }) => _id),
        // An index may have seen the version after that of its end.
        nextVersion: from.contact.version + 3,
      };
      await table.commit(
        requireRoom([
          ...jointActions(table, [into, from], [state]),
          table.put(forwardKey(fromId), { mergedInto: path.id, at }),
          table.add(contactChangeKey(changeId), change, { expiresAt: after(now, undoneWithin) }),
          eventAction(table, contactMerged(contact, gone, stage), eventId, now),
        ]),
      );
      return ok({ data: toContactResponse(contact, stage), changeId });
    });
  },
});
