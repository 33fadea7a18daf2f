import { codePoints } from '../../../shared/kernel/code-points.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import {
  type Attributes,
  type Kind,
  kinds,
  notificationPreferencesKey,
  preferenceAttribute,
  preferencesIn,
} from '../../../shared/notifications/preferences.ts';
import type { Change, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { NotificationPreferenceFields } from './preference-fields.ts';

/** Other keys that a user may have. */
const maxOthers = 50;

/** The other keys, which are one attribute: an expression of the table cannot name them. */
function othersIn(attributes: Attributes): Record<string, boolean> {
  return typeof attributes?.more === 'string' ? JSON.parse(attributes.more) : {};
}

const allIn = (attributes: Attributes) => ({ ...othersIn(attributes), ...preferencesIn(attributes) });

/** The kinds and the other keys. */
export async function readEveryPreference(table: TableReader, userId: string) {
  const stored = await table.read(notificationPreferencesKey(userId));
  return allIn(stored?.attributes);
}

/** Changes the given preferences in one write and returns all of them. Other keys are read first. */
export async function changePreferences(
  table: TableWriter,
  userId: string,
  fields: NotificationPreferenceFields,
) {
  const stated = Object.entries(fields).flatMap(([key, wanted]) =>
    typeof wanted === 'boolean' ? [[key, wanted] as const] : [],
  );
  if (stated.length === 0) {
    return readEveryPreference(table, userId);
  }
  const key = notificationPreferencesKey(userId);
  const isKind = (name: string): name is Kind => (kinds as readonly string[]).includes(name);
  const kindsGiven = stated.flatMap(([name, wanted]) => (isKind(name) ? [[name, wanted] as const] : []));
  const othersGiven = stated.filter(([name]) => !isKind(name));
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
  if (names.length > maxOthers || names.some((name) => codePoints(name) > nameLimit)) {
    throw new Failure(
      'INVALID',
      `body must not have more than ${maxOthers} other keys, nor one of more than ${nameLimit} characters`,
    );
  }
  return others;
}

function changeOf(
  wanted: readonly (readonly [kind: Kind, wanted: boolean])[],
  others: Readonly<Record<string, string>> = {},
) {
  const values: Record<string, string | boolean> = {
    ...Object.fromEntries(wanted.map(([kind, wants]) => [preferenceAttribute(kind), wants])),
    ...others,
  };
  const assignments = Object.keys(values).map((name) => `${name} = :${name}`);
  return { update: `SET ${assignments.join(', ')}`, values } satisfies Change;
}
