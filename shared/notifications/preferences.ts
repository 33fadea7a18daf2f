import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { yesOrNo } from '../kernel/fields.ts';
import type { Key } from '../table/key.ts';
import type { Change, TableReader, TableWriter } from '../table/table.ts';

/** The kinds of notifications that a user may refuse. Source: decisions 10, "Notification preferences". */
const kinds = [
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

type Kind = (typeof kinds)[number];
export type NotificationPreferences = Record<Kind, boolean>;

const everyKind = <Value>(of: (kind: Kind) => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, Value>;

export const preferenceDescriptions: Record<Kind, string> = {
  mentions: 'Being mentioned in a note.',
  reminders: 'A reminder that is due.',
  messages: 'New messages.',
  assignments: 'Being assigned to something.',
  calls: 'Calls.',
  campaigns: 'Campaigns.',
  automationTriggers: 'Automations that were triggered.',
  escalations: 'Escalations.',
  emailSync: 'The synchronization of e-mail.',
  aiResponses: 'Answers written by AI.',
  other: 'Everything else.',
};

export const NotificationPreferencesResponse = described(
  z.object(everyKind(() => yesOrNo)),
  preferenceDescriptions,
  {
    id: 'NotificationPreferences',
    description: 'What a user wants to be notified of; everything by default.',
  },
);

/** Refuses anything but these booleans. */
export const NotificationPreferenceFields = z.strictObject(everyKind(() => z.optional(yesOrNo)));
export type NotificationPreferenceFields = z.output<typeof NotificationPreferenceFields>;

/**
 * Each kind is an attribute of its own, so that simultaneous changes of different kinds all remain. The prefix avoids the
 * reserved word `other`.
 */
const attributeOf = (kind: Kind) => `wants_${kind}`;

function preferencesIn(attributes: Readonly<Record<string, unknown>> | undefined): NotificationPreferences {
  return everyKind((kind) => attributes?.[attributeOf(kind)] !== false);
}

export async function preferencesOf(table: TableReader, userId: string): Promise<NotificationPreferences> {
  const stored = await table.read(notificationPreferencesKey(userId));
  return preferencesIn(stored?.attributes);
}

/** Changes the given preferences in one write and returns all of them. */
export async function changePreferences(
  table: TableWriter,
  userId: string,
  fields: NotificationPreferenceFields,
): Promise<NotificationPreferences> {
  const change = changeTo(fields);
  return change === undefined
    ? preferencesOf(table, userId)
    : preferencesIn(await table.update(notificationPreferencesKey(userId), change));
}

function changeTo(fields: NotificationPreferenceFields): Change | undefined {
  const values: Record<string, boolean> = {};
  for (const kind of kinds) {
    const wanted = fields[kind];
    if (wanted !== undefined) {
      values[attributeOf(kind)] = wanted;
    }
  }
  const assignments = Object.keys(values).map((name) => `${name} = :${name}`);
  return assignments.length === 0 ? undefined : { update: `SET ${assignments.join(', ')}`, values };
}

export const notificationPreferencesKey = (userId: string): Key<never> => ({
  partition: ['NOTIFICATIONS', userId],
  sort: ['PREFERENCES'],
});
