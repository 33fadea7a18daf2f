import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { Failure } from '../kernel/failure.ts';
import { codePoints, nameLimit, yesOrNo } from '../kernel/fields.ts';
import type { Key } from '../table/key.ts';
import type { Change, TableReader, TableWriter } from '../table/table.ts';
import type { NotificationType } from './notification.ts';

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

/** The kind whose preference decides about each type of notification. */
export const kindOf: Readonly<Record<NotificationType, Kind>> = {
  mention: 'mentions',
  reminder: 'reminders',
  message: 'messages',
  assignment: 'assignments',
  lead: 'assignments',
  missed_call: 'calls',
  automation: 'automationTriggers',
  workflow_failed: 'automationTriggers',
  import_finished: 'other',
};

/** Whether a user with these preferences gets notifications of a type. A mention always is one. Source: decisions 9. */
export function wants(preferences: NotificationPreferences, type: NotificationType): boolean {
  return type === 'mention' || preferences[kindOf[type]];
}

const everyKind = <Value>(of: (kind: Kind) => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, Value>;

export const preferenceDescriptions: Record<Kind, string> = {
  mentions: 'Being mentioned in a note. A `mention` is stored whatever this says.',
  reminders: 'A reminder that is due: `reminder`.',
  messages: 'New messages: `message`.',
  assignments: 'Getting a contact, a conversation or a lead: `assignment` and `lead`.',
  calls: 'Missed calls: `missed_call`.',
  campaigns: 'Campaigns; for clients, no notification depends on it yet.',
  automationTriggers: 'Automations: `automation` and `workflow_failed`.',
  escalations: 'Escalations; for clients, no notification depends on it yet.',
  emailSync: 'The synchronization of e-mail; for clients, no notification depends on it yet.',
  aiResponses: 'Answers written by AI; for clients, no notification depends on it yet.',
  other: 'Everything else: `import_finished`; no notification depends on it yet.',
};

export const NotificationPreferencesResponse = described(
  z.catchall(z.object(everyKind(() => yesOrNo)), yesOrNo),
  preferenceDescriptions,
  {
    id: 'NotificationPreferences',
    description:
      'What a user wants to be notified of; everything by default. Other keys are those that the user has set.',
  },
);

const given = z.optional(z.nullable(yesOrNo));

/** Booleans for the kinds, and for other keys, which clients may have for themselves. */
export const NotificationPreferenceFields = z.catchall(z.object(everyKind(() => given)), given);
export type NotificationPreferenceFields = z.output<typeof NotificationPreferenceFields>;

/** Other keys that a user may have. */
const mostOthers = 50;

/**
 * Each kind is an attribute of its own, so that simultaneous changes of different kinds all remain. The prefix avoids the
 * reserved word `other`.
 */
const attributeOf = (kind: Kind) => `wants_${kind}`;

type Attributes = Readonly<Record<string, unknown>> | undefined;

function preferencesIn(attributes: Attributes): NotificationPreferences {
  return everyKind((kind) => attributes?.[attributeOf(kind)] !== false);
}

/** The other keys, which are one attribute: an expression of the table cannot name them. */
function othersIn(attributes: Attributes): Record<string, boolean> {
  return typeof attributes?.more === 'string' ? JSON.parse(attributes.more) : {};
}

const allIn = (attributes: Attributes) => ({ ...othersIn(attributes), ...preferencesIn(attributes) });

/** The kinds alone. */
export async function preferencesOf(table: TableReader, userId: string): Promise<NotificationPreferences> {
  const stored = await table.read(notificationPreferencesKey(userId));
  return preferencesIn(stored?.attributes);
}

/** The kinds alone, of up to 100 users in one round trip. */
export async function preferencesOfAll(
  table: TableReader,
  userIds: readonly string[],
): Promise<NotificationPreferences[]> {
  const stored = await table.readMany(userIds.map(notificationPreferencesKey));
  return stored.map((one) => preferencesIn(one?.attributes));
}

/** The kinds and the other keys. */
export async function allPreferencesOf(table: TableReader, userId: string) {
  const stored = await table.read(notificationPreferencesKey(userId));
  return allIn(stored?.attributes);
}

/** Changes the given preferences in one write and returns all of them. Other keys are read first. */
export async function changePreferences(
  table: TableWriter,
  userId: string,
  fields: NotificationPreferenceFields,
) {
  const given = Object.entries(fields).flatMap(([key, wanted]) =>
    typeof wanted === 'boolean' ? [[key, wanted] as const] : [],
  );
  if (given.length === 0) {
    return allPreferencesOf(table, userId);
  }
  const key = notificationPreferencesKey(userId);
  const isKind = (name: string): name is Kind => (kinds as readonly string[]).includes(name);
  const kindsGiven = given.flatMap(([name, wanted]) => (isKind(name) ? [[name, wanted] as const] : []));
  const othersGiven = given.filter(([name]) => !isKind(name));
  if (othersGiven.length === 0) {
    return allIn(await table.update(key, changeOf(kindsGiven)));
  }
  return table.optimistically(async () => {
    const before = (await table.read(key))?.attributes?.more as string | undefined;
    const more = JSON.stringify(
      withinLimits({ ...othersIn({ more: before }), ...Object.fromEntries(othersGiven) }),
    );
    const { update, values } = changeOf(kindsGiven, { more });
    return allIn(
      await table.update(key, {
        update,
        when: before === undefined ? 'attribute_not_exists(more)' : 'more = :before',
        values: { ...values, ...(before === undefined ? {} : { before }) },
      }),
    );
  });
}

/** @throws a 400 `Failure` for more than a user may have. */
function withinLimits(others: Record<string, boolean>): Record<string, boolean> {
  const names = Object.keys(others);
  if (names.length > mostOthers || names.some((name) => codePoints(name) > nameLimit)) {
    throw new Failure(
      'INVALID',
      `body must not have more than ${mostOthers} other keys, nor one of more than ${nameLimit} characters`,
    );
  }
  return others;
}

function changeOf(
  wanted: readonly (readonly [kind: Kind, wanted: boolean])[],
  others: Readonly<Record<string, string>> = {},
) {
  const values: Record<string, string | boolean> = {
    ...Object.fromEntries(wanted.map(([kind, wants]) => [attributeOf(kind), wants])),
    ...others,
  };
  const assignments = Object.keys(values).map((name) => `${name} = :${name}`);
  return { update: `SET ${assignments.join(', ')}`, values } satisfies Change;
}

export const notificationPreferencesKey = (userId: string): Key<never> => ({
  partition: ['NOTIFICATIONS', userId],
  sort: ['PREFERENCES'],
});
