import { notFound } from '../kernel/failure.ts';
import { keys } from '../table/keys.ts';
import type { Stored, TableReader } from '../table/table.ts';
import type { StoredConfiguration } from './configuration.ts';

/** The 404 of a configuration that is not there, or of another organization. */
export const configurationNotFound = () => notFound('Outreach configuration');

/** A configuration of the organization. @throws the 404 of a missing one. */
export async function configurationOf(table: TableReader, id: string): Promise<Stored<StoredConfiguration>> {
  const stored = await table.read(keys.outreachConfiguration(id));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return stored;
}
