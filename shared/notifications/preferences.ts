import type { Key } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import type { NotificationType } from './notification.ts';

/** The kinds of notifications that a user may refuse. Source: decisions 10, "Notification preferences". */
export const kinds = [
  'mentions',
  'reminders',
  'messages',
  'assignments',
  'calls',
  'campaigns',
  'automationTriggers',
  'escalations',
  'emailSync',
  'aiResponses',
  'other',
] as const;

export type Kind = (typeof kinds)[number];
export type NotificationPreferences = Record<Kind, boolean>;

/** The kind whose preference decides about each type of notification. */
const kindOf: Readonly<Record<NotificationType, Kind>> = {
  mention: 'mentions',
  reminder: 'reminders',
  message: 'messages',
  assignment: 'assignments',
  lead: 'assignments',
  missed_call: 'calls',
  automation: 'automationTriggers',
  workflow_failed: 'automationTriggers',
  import_finished: 'other',
  api_key_expiring: 'other',
  webhook_endpoint_disabled: 'other',
};

/** Whether a user with these preferences gets notifications of a type. Mentions are always stored. Source: decisions 9. */
export function wants(preferences: NotificationPreferences, type: NotificationType): boolean {
  return type === 'mention' || preferences[kindOf[type]];
}

export const everyKind = <Value>(of: (kind: Kind) => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, Value>;

/**
 * Each kind is an attribute of its own, so that simultaneous changes of different kinds all remain. The prefix avoids the
 * reserved word `other`.
 */
export const preferenceAttribute = (kind: Kind) => `wants_${kind}`;

export type Attributes = Readonly<Record<string, unknown>> | undefined;

/** The kinds that a user wants: all that were not turned off. */
export function preferencesIn(attributes: Attributes): NotificationPreferences {
  return everyKind((kind) => attributes?.[preferenceAttribute(kind)] !== false);
}

/** The kinds alone. */
export async function readPreferences(table: TableReader, userId: string): Promise<NotificationPreferences> {
  const stored = await table.read(notificationPreferencesKey(userId));
  return preferencesIn(stored?.attributes);
}

/** The kinds alone, of up to 100 users in one round trip. */
export async function readPreferencesOfAll(
  table: TableReader,
  userIds: readonly string[],
): Promise<NotificationPreferences[]> {
  const stored = await table.readMany(userIds.map(notificationPreferencesKey));
  return stored.map((record) => preferencesIn(record?.attributes));
}

export const notificationPreferencesKey = (userId: string): Key<never> => ({
  partition: ['NOTIFICATIONS', userId],
  sort: ['PREFERENCES'],
});
