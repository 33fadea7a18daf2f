import { timestamp } from '../../../../shared/kernel/time.ts';
import { accountNoticeAction, type Device } from '../../../../shared/organizations/queued-mail.ts';
import type { User } from '../../../../shared/organizations/user.ts';
import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import type { Factor } from './factor.ts';

interface Context {
  readonly identity: TableWriter<'identity'>;
  readonly table: TableWriter;
  readonly now: Date;
  newId(): string;
}

/**
 * The actions that every change of a user's second factor comes with: the user's record names the confirmed factor, or none, and an email
 * tells the user. If the user has changed since it was read, nothing happens.
 * @param device the user's own; undefined if somebody else takes the factor away.
 */
export function factorChangeActions(
  { identity, table, now, newId }: Context,
  user: Stored<User>,
  factorId: string | undefined,
  device: Device | undefined,
): Action[] {
  const { factorId: _, ...rest } = user.data;
  const named = factorId === undefined ? rest : { ...rest, factorId };
  const event = factorId === undefined ? 'factor-removed' : 'factor-added';
  return [
    table.replace(user, { ...named, updatedAt: timestamp(now) }),
    accountNoticeAction(identity, user.data, { event, ...(device && { device }) }, newId(), now),
  ];
}

/** The actions that take a user's confirmed factor away, with its recovery codes. */
export function factorRemovalActions(
  context: Context,
  user: Stored<User>,
  factor: Stored<Factor, 'identity'>,
  device: Device | undefined,
): Action[] {
  return [
    context.identity.delete(factor.key, { ifVersion: factor.version }),
    ...factorChangeActions(context, user, undefined, device),
  ];
}
