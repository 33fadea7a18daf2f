import { dueOperation } from '../../shared/events/due-operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { findAdmins } from '../../shared/notifications/find-admins.ts';
import { notifyActions } from '../../shared/notifications/notify.ts';
import { apiKeyKey } from '../../shared/organizations/api-key.ts';

export default dueOperation({
  on: 'apiKeyExpiry',
  summary: 'Tell the administrators that an API key will expire',
  uses: { organizations: 'write' },
  async run({ id, organizationId }, { organizations, now, newId, end }) {
    const table = organizations(organizationId);
    const ids = { notification: newId(), event: newId() };
    return table.optimistically(async () => {
      const [key, recipients] = await Promise.all([
        table.read(apiKeyKey(id)),
        findAdmins(table, 'api_key_expiring'),
      ]);
      if (key === undefined) {
        await table.commit([end]);
        return 'gone';
      }
      const notification = {
        _id: ids.notification,
        type: 'api_key_expiring' as const,
        title: `API key expires: ${key.data.name}`,
        message: `It stops working at ${key.data.expiresAt}. Create another one for its program.`,
        createdAt: timestamp(now),
      };
      await table.commit([end, ...notifyActions(table, notification, recipients, ids.event, now)]);
      return recipients.length > 0 ? 'notified' : 'silent';
    });
  },
});
