import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { findOrganization } from './organization-record.ts';
import { changedFields, type SettingsName, settingsChanged } from './settings-event.ts';

/** Settings in a record of their own, which exists once somebody has set them. */
interface Settings<Values> {
  readonly key: Key<Values>;
  /** The values until then. */
  readonly initial: Values;
}

/** @throws a 404 `Failure` when the organization does not exist. */
export async function readStoredSettings<Values>(
  table: TableReader,
  { key, initial }: Settings<Values>,
): Promise<Values> {
  return (await storedSettings(table, key))?.data ?? initial;
}

/**
 * Changes settings, whatever others change at the same time; what is set already is not written again.
 * @throws a 404 `Failure` when the organization does not exist.
 */
export function changeSettings<Values extends object>(
  table: TableWriter,
  name: SettingsName,
  { key, initial }: Settings<Values>,
  changes: Partial<Values>,
  clock: ClockAndIds,
): Promise<Values> {
  return table.optimistically(async () => {
    const stored = await storedSettings(table, key);
    const before = stored?.data ?? initial;
    const changed = changedFields(before, changes);
    if (changed.length === 0) {
      return before;
    }
    const after = { ...before, ...changes };
    await table.commit([
      stored === undefined ? table.add(key, after) : table.replace(stored, after),
      settingsChanged(table, name, changed, clock),
    ]);
    return after;
  });
}

async function storedSettings<Values>(
  table: TableReader,
  key: Key<Values>,
): Promise<Stored<Values> | undefined> {
  const [stored] = await Promise.all([table.read(key), findOrganization(table)]);
  return stored;
}
