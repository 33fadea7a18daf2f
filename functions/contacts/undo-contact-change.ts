import { readAggregate, toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactEvent, contactRestored } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { forwardKey } from '../../shared/contacts/holdings.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventActions } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { after, timestamp } from '../../shared/kernel/time.ts';
import { involvedPeople, readScope, sees } from '../../shared/organizations/visibility.ts';
import { conflictFailure, describedConflicts, findTaken } from './model/joining/conflicts.ts';
import { canBeUndone, contactChangeKey, undoneWithin } from './model/joining/contact-change.ts';
import { jointActions } from './model/joining/joint-writes.ts';
import { requireRoom } from './model/joining/room.ts';
import { unmerged } from './model/joining/unmerged.ts';

const what = 'Contact change';

export default operation({
  route: 'POST /api/contact-changes/{id}/undo',
  summary: 'Undo a merge',
  description: [
    'Within 30 days, for who may see the contact and saw the one that was merged into it. That one is there again under its id, with what is still where the merge put it: its conversations with all that came in since for its numbers, its applications, notes, calls, reminders and runs. Fields that nobody has changed since have their former values. What came in since otherwise stays with the contact.',
    'The response is 409 with `conflicts` only if a third contact has a number or an `externalId` of it by now, or the contact was merged on. Undoing it again changes nothing.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  detailedFailures: [describedConflicts],
  example: { path: { id: demo.contactChange } },
  uses: { table: 'write' },
  async run({ path: { id } }, { table, caller, now, newId }) {
    const eventIds = [newId(), newId()].sort();
    const at = timestamp(now);
    return table.optimistically(async () => {
      const [stored, scope, { data }] = await Promise.all([
        table.read(contactChangeKey(id)),
        readScope(caller, table),
        readPipelines(table),
      ]);
      if (stored === undefined || !canBeUndone(stored.data, now)) {
        throw notFound(what);
      }
      const change = stored.data;
      const { other: gone } = change.before;
      const aggregate = await readAggregate(table, change.contactId);
      const before = aggregate?.contact.data;
      const isVisible = (contact: Parameters<typeof involvedPeople>[0]) =>
        sees(scope, involvedPeople(contact));
      if (aggregate === undefined || before === undefined || !isVisible(before) || !isVisible(gone)) {
        throw notFound(what);
      }
      const stageOf = ({ stageId }: { readonly stageId: string }) => stageById(data.pipelines, stageId);
      if (change.undoneAt !== undefined) {
        return ok({ message: 'No changes', data: toContactResponse(before, stageOf(before)) });
      }
      if (before._id !== change.contactId) {
        throw conflictFailure([{ type: 'contact', id: change.contactId, reason: 'merged' }]);
      }
      const taken = await findTaken(table, gone, before);
      if (taken.length > 0) {
        throw conflictFailure(taken);
      }
      const { contact, other } = unmerged(change, toContactState(aggregate), at);
      const restored = new Map([[gone._id, change.nextVersion]]);
      const events = [
        contactEvent('contact_updated', contact.contact, stageOf(contact.contact), before),
        contactRestored(other.contact, stageOf(other.contact)),
      ];
      await table.commit(
        requireRoom([
          ...jointActions(table, [aggregate], [contact, other], restored),
          table.delete(forwardKey(gone._id)),
          table.replace(
            stored,
            { ...change, undoneAt: at },
            { expiresAt: after(new Date(change.at), undoneWithin) },
          ),
          ...eventActions(table, events, eventIds, now),
        ]),
      );
      return ok({
        message: 'The merge is undone',
        data: toContactResponse(contact.contact, stageOf(contact.contact)),
      });
    });
  },
});
