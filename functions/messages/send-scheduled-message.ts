import { dueOperation } from '../../shared/events/due-operation.ts';
import { sendScheduled } from './model/send-scheduled.ts';

export default dueOperation({
  on: 'scheduledMessage',
  summary: 'Queue a scheduled text message at its time, or mark it as failed',
  uses: { organizations: 'write', identity: 'read', trialPolicy: 'read', objects: 'downloads' },
  run: (entry, { organizations, identity, trialPolicy, objects, ...clock }) =>
    sendScheduled(
      entry,
      {
        table: organizations(entry.organizationId),
        authors: organizations(entry.userOrganizationId ?? entry.organizationId),
        identity,
        trialPolicy,
        downloads: objects(entry.organizationId),
      },
      clock,
    ),
});
