import { findChild } from '../../shared/contacts/find-child.ts';
import { reaches } from '../../shared/kernel/caller.ts';
import { contactIdIn } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { noteKey } from '../../shared/notes/note.ts';
import { contactObjectsKey } from '../../shared/notes/owned-objects.ts';
import {
  commitDeletion,
  prefetchNotifications,
  readNotifiedBy,
} from '../../shared/notifications/delete-notifications.ts';
import { firstVersion } from '../../shared/table/table.ts';

export default operation({
  route: 'DELETE /api/contact-notes/{id}',
  summary: 'Delete a note',
  description:
    'Only its author or an ADMIN may do this. The notifications of the users whom it mentions are deleted with it. Its files are deleted soon after; other notes and messages with the same upload keep theirs.',
  family: 'notes',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareNote } },
  uses: { table: 'write' },
  async run({ path: { id } }, { table, caller, now, newId }) {
    return table.optimistically(async () => {
      const contactId = contactIdIn(id);
      const [stored, known] = await Promise.all([
        findChild(table, caller, noteKey(id), 'Note'),
        readNotifiedBy(table, id),
      ]);
      if (stored.data.userId !== caller.userId && !reaches(caller.role, 'ADMIN')) {
        throw new Failure('FORBIDDEN', 'Only its author or an ADMIN may delete a note.');
      }
      const { attachments } = stored.data;
      const [notified, prefetched] = await Promise.all([
        // An edit notifies more users. One between the two reads is seen in the version, and what it notified of must be read after it.
        stored.version === firstVersion ? known : readNotifiedBy(table, id),
        prefetchNotifications(table, known),
      ]);
      const actions = [
        table.delete(stored.key, { ifVersion: stored.version }),
        ...(attachments.length === 0 ? [] : [table.delete(contactObjectsKey(contactId, id))]),
      ];
      await commitDeletion(table, actions, notified, prefetched, { now, newId });
      return ok({ message: 'Note deleted' });
    });
  },
});
