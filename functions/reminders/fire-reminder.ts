import { dueOperation } from '../../shared/events/due-operation.ts';
import { fireReminder } from './model/fire-reminder.ts';

export default dueOperation({
  on: 'reminder',
  summary: 'Fire a reminder, and notify its creator',
  uses: { organizations: 'write' },
  run: (entry, { organizations, ...clock }) =>
    fireReminder(organizations(entry.organizationId), entry, clock),
});
