import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
import { configurationKey, configurationRange } from './configuration.ts';

/** The 404 for a configuration that is missing or belongs to another organization. */
export const configurationNotFound = () => notFound('Outreach configuration');

/** A configuration of the organization. @throws a 404 `Failure` if it does not exist. */
export async function configurationOf(table: TableReader, id: string): Promise<Stored<StoredConfiguration>> {
  const stored = await table.read(configurationKey(id));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return stored;
}

/** Configurations that an organization may have: its metrics read the names of all. */
const configurationLimit = 200;

/**
 * Requires room for one more. Simultaneous requests do not see each other and may all get the last place: the limit bounds what
 * is read and need not be exact.
 * @throws a 409 `Failure` when there is no room.
 */
export async function requireRoom(table: TableReader): Promise<void> {
  const found = await table.list(configurationRange(), {
    limit: configurationLimit,
    consistent: true,
  });
  if (found.length === configurationLimit) {
    throw new Failure(
      'CONFLICT',
      `The organization already has ${configurationLimit} outreach configurations, the maximum. Delete one first.`,
    );
  }
}
