import type { NotificationType } from '../../../shared/notifications/notification.ts';
import { findRecipients, type Recipient } from '../../../shared/notifications/notify.ts';
import { readPreferencesOfAll, wants } from '../../../shared/notifications/preferences.ts';
import { addScopes, type Scope } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A user who wants to be notified, and what that user may see now. */
export interface Addressee extends Recipient {
  readonly scope: Scope;
}

/** The users among these (50 at most) who exist, are not disabled, and want notifications of this type. */
export async function readAddressees(
  table: TableReader,
  userIds: readonly string[],
  type: NotificationType,
): Promise<Addressee[]> {
  if (userIds.length === 0) {
    return [];
  }
  const [recipients, preferences] = await Promise.all([
    findRecipients(table, userIds),
    readPreferencesOfAll(table, userIds),
  ]);
  const willing = recipients.filter((recipient, index) => {
    const preferred = preferences[index];
    return recipient !== undefined && !recipient.user.disabled && preferred && wants(preferred, type);
  }) as Recipient[];
  return addScopes(willing, table);
}
