import { findChild, requireCreator } from '../../shared/contacts/find-child.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { deleteReminderActions, type Reminder, reminderKey } from '../../shared/notes/reminder.ts';
import {
  commitDeletion,
  nothingPrefetched,
  readNotifiedBy,
} from '../../shared/notifications/delete-notifications.ts';

export default operation({
  route: 'DELETE /api/reminders/{id}',
  summary: 'Delete a reminder',
  tool: { name: 'delete_reminder', when: 'When what it is about is done.' },
  description:
    'Only its creator, even one who can no longer see the contact, or a DEPARTMENT_HEAD or higher who can see it may do this. A reminder that has not fired never will; if it has fired, its notification is deleted with it.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareReminder } },
  uses: { table: 'write', platform: 'write' },
  async run({ path: { id } }, { table, platform, caller, now, newId }) {
    return table.optimistically(async () => {
      const key = reminderKey(id);
      const isOwn = ({ createdBy }: Reminder) => createdBy === caller.userId;
      const stored = await findChild(table, caller, key, 'Reminder', isOwn);
      requireCreator(stored.data, caller);
      const { fired } = stored.data;
      const notified = fired ? await readNotifiedBy(table, id) : [];
      const actions = deleteReminderActions({ table, platform }, stored);
      await commitDeletion(table, actions, notified, nothingPrefetched, { now, newId });
      return ok({ message: 'Reminder deleted' });
    });
  },
});
