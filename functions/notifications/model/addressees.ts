import type { NotificationType } from '../../../shared/notifications/notification.ts';
import { type Recipient, recipientsOf } from '../../../shared/notifications/notify.ts';
import { preferencesOfAll, wants } from '../../../shared/notifications/preferences.ts';
import { type Scope, withScopes } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A user who wants to be notified, and what that user may see now. */
export interface Addressee extends Recipient {
  readonly scope: Scope;
}

/** The users among these (50 at most) who exist, are not disabled, and want notifications of this type. */
export async function addresseesOf(
  table: TableReader,
  userIds: readonly string[],
  type: NotificationType,
): Promise<Addressee[]> {
  if (userIds.length === 0) {
    return [];
  }
  const [recipients, preferences] = await Promise.all([
    recipientsOf(table, userIds),
    preferencesOfAll(table, userIds),
  ]);
  const willing = recipients.filter((recipient, index) => {
    const preferred = preferences[index];
    return recipient !== undefined && !recipient.user.disabled && preferred && wants(preferred, type);
  }) as Recipient[];
  return withScopes(willing, table);
}
