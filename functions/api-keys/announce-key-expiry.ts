import { dueOperation } from '../../shared/events/due-operation.ts';
import { reaches } from '../../shared/kernel/caller.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { findRecipients, notifyActions } from '../../shared/notifications/notify.ts';
import { readPreferences, wants } from '../../shared/notifications/preferences.ts';
import { apiKeyKey } from '../../shared/organizations/api-key.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';

/** The administrators who are told: as many as one transaction has room for. */
const told = 40;

export default dueOperation({
  on: 'apiKeyExpiry',
  summary: 'Tell the administrators that an API key will expire',
  uses: { organizations: 'write' },
  async run({ id, organizationId }, { organizations, now, newId, end }) {
    const table = organizations(organizationId);
    const ids = { notification: newId(), event: newId() };
    return table.optimistically(async () => {
      const [key, users] = await Promise.all([table.read(apiKeyKey(id)), readUsers(table)]);
      if (key === undefined) {
        await table.commit([end]);
        return 'gone';
      }
      const admins = users.filter(({ accessRole, disabled }) => reaches(accessRole, 'ADMIN') && !disabled);
      const preferences = await Promise.all(admins.map(({ _id }) => readPreferences(table, _id)));
      const wanting = admins.filter((_, index) => {
        const own = preferences[index];
        return own !== undefined && wants(own, 'api_key_expiring');
      });
      const found = await findRecipients(
        table,
        wanting.slice(0, told).map(({ _id }) => _id),
      );
      const recipients = found.filter((recipient) => recipient !== undefined);
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
