import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
import { configurationKey, configurationRange } from './configuration.ts';

/** The 404 of a configuration that is not there, or of another organization. */
export const configurationNotFound = () => notFound('Outreach configuration');

/** A configuration of the organization. @throws the 404 of a missing one. */
export async function configurationOf(table: TableReader, id: string): Promise<Stored<StoredConfiguration>> {
  const stored = await table.read(configurationKey(id));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return stored;
}

/** Configurations an organization may have: every reading of its metrics reads their names. */
const configurationLimit = 200;

/**
 * Requires room for one more. Those created at the same moment do not see each other and may all find the last place: the limit
 * is there to bound what is read, not to be exact.
 * @throws a 409 `Failure` when there is none.
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
