import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
import { configurationKey } from './configuration.ts';

/** The 404 for a configuration that is missing or belongs to another organization. */
export const configurationNotFound = () => notFound('Outreach configuration');

/** A configuration of the organization. @throws a 404 `Failure` if it does not exist. */
export async function findConfiguration(
  table: TableReader,
  id: string,
): Promise<Stored<StoredConfiguration>> {
  const stored = await table.read(configurationKey(id));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return stored;
}

/** Configurations that an organization may have: its metrics read the names of all. */
const configurationLimit = 200;

/** How many configurations the organization has, as the native attribute `configurations`. */
export const configurationCountKey = (): Key<never> => ({ partition: ['OUTREACH'], sort: ['COUNT'] });

/** Counts a new configuration, in the transaction that adds it, which fails with a 409 `Failure` where there are too many. */
export const oneMoreConfiguration = (table: TableWriter): Action =>
  table.updateAction(configurationCountKey(), {
    update: 'ADD configurations :one',
    when: 'attribute_not_exists(configurations) OR configurations < :most',
    values: { one: 1, most: configurationLimit },
    otherwise: () =>
      new Failure(
        'CONFLICT',
        `The organization already has ${configurationLimit} outreach configurations, the maximum. Delete one first.`,
      ),
  });

export const oneLessConfiguration = (table: TableWriter): Action =>
  table.updateAction(configurationCountKey(), { update: 'ADD configurations :less', values: { less: -1 } });
