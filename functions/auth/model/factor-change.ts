import { timestamp } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import type { Factor } from './factor.ts';

interface Tables {
  readonly identity: TableWriter<'identity'>;
  readonly table: TableWriter;
}

/**
 * The actions that every change of a user's second factor comes with: the user's record names the confirmed factor, or none. If the user
 * has changed since it was read, nothing happens.
 */
export function factorChangeActions(
  { table }: Pick<Tables, 'table'>,
  user: Stored<User>,
  factorId: string | undefined,
  now: Date,
): Action[] {
  const { factorId: _, ...rest } = user.data;
  const named = factorId === undefined ? rest : { ...rest, factorId };
  return [table.replace(user, { ...named, updatedAt: timestamp(now) })];
}

/** The actions that take a user's confirmed factor away, with its recovery codes. */
export function factorRemovalActions(
  { identity, table }: Tables,
  user: Stored<User>,
  factor: Stored<Factor, 'identity'>,
  now: Date,
): Action[] {
  return [
    identity.delete(factor.key, { ifVersion: factor.version }),
    ...factorChangeActions({ table }, user, undefined, now),
  ];
}
