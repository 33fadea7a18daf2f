import { isDeepStrictEqual } from 'node:util';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { FieldChanges } from '../../../shared/jobs/former-values.ts';

/** How the changes of a job are taken back from a contact. */
export interface Undone {
  /** The body of the request that restores fields; undefined if there is nothing to restore. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** The stage that it had; undefined if it stays where it is. */
  readonly stageId: string | undefined;
  /** Whether to archive it again, or to restore it; undefined if neither. */
  readonly archive: boolean | undefined;
  /** Names of fields that somebody has changed since, and which stay. */
  readonly kept: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

/** The fields that a request can restore as a whole. */
const wholeFields = ['firstName', 'lastName', 'email', 'externalId', 'source', 'owner', 'isBulkImport'];

/** Lists of which each item is restored by itself, with what makes two items the same. */
const lists: Readonly<Record<string, (item: unknown) => unknown>> = {
  tags: (tag) => tag,
  assignees: (userId) => userId,
  phoneNumbers: (number) => (number as StoredContact['phoneNumbers'][number]).value,
};

/**
 * The contact without the changes of a job: what has the value that the job gave it gets the one from before, the last change first.
 * @param changes of each transaction, the first one first.
 */
export function undoneBy(contact: StoredContact, changes: readonly FieldChanges[]): Undone {
  const now: Values = { externalId: null, archivedAt: null, ...contact };
  const values: Record<string, unknown> = { ...now };
  const kept = new Set<string>();
  for (const change of changes.toReversed()) {
    for (const [name, { before = null, after = null }] of Object.entries(change)) {
      const { value, isKept } = undo(name, values[name] ?? null, before, after);
      values[name] = value;
      if (isKept) {
        kept.add(name);
      }
    }
  }
  const restored = [...wholeFields, ...Object.keys(lists), 'customFields'].filter(
    (name) => !isDeepStrictEqual(values[name], now[name]),
  );
  const { stageId, archivedAt } = values;
  return {
    fields:
      restored.length === 0 ? undefined : Object.fromEntries(restored.map((name) => [name, values[name]])),
    stageId: stageId === contact.stageId ? undefined : String(stageId),
    archive: archivedAt === now.archivedAt ? undefined : archivedAt !== null,
    kept: [...kept].filter((name) => name !== 'pipelineId'),
  };
}

/** A value without one change. It is kept if somebody has changed it since. */
function undo(
  name: string,
  value: unknown,
  before: unknown,
  after: unknown,
): { readonly value: unknown; readonly isKept: boolean } {
  const identity = lists[name];
  if (identity !== undefined) {
    return {
      value: undoItems(value as unknown[], before as unknown[], after as unknown[], identity),
      isKept: false,
    };
  }
  if (name === 'customFields') {
    return undoKeys(value as Values, (before ?? {}) as Values, (after ?? {}) as Values);
  }
  if (isDeepStrictEqual(value, after)) {
    return { value: before, isKept: false };
  }
  return { value, isKept: !isDeepStrictEqual(value, before) };
}

/** The list without the items that were added, and with those that were taken away. */
function undoItems(
  items: readonly unknown[],
  before: readonly unknown[],
  after: readonly unknown[],
  identity: (item: unknown) => unknown,
): unknown[] {
  const had = new Set(before.map(identity));
  const got = new Set(after.map(identity));
  const left = items.filter((item) => had.has(identity(item)) || !got.has(identity(item)));
  const has = new Set(left.map(identity));
  return [...left, ...before.filter((item) => !got.has(identity(item)) && !has.has(identity(item)))];
}

/** The custom fields with the former values of the keys that were changed. */
function undoKeys(
  fields: Values,
  before: Values,
  after: Values,
): { readonly value: Values; readonly isKept: boolean } {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  );
  const restored = changed.filter((key) => isDeepStrictEqual(fields[key], after[key]));
  const value = Object.fromEntries(
    Object.entries({ ...fields, ...Object.fromEntries(restored.map((key) => [key, before[key]])) }).filter(
      ([, one]) => one !== undefined,
    ),
  );
  return { value, isKept: changed.some((key) => !isDeepStrictEqual(value[key], before[key])) };
}
