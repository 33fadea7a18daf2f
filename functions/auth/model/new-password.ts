import { timestamp } from '../../../shared/kernel/time.ts';
import { withSessionsEnded } from '../../../shared/organizations/session.ts';
import { sessionsEndedAction } from '../../../shared/organizations/sessions-ended.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import type { Credentials } from './credentials.ts';

/**
 * The actions that give a user another password and end the user's sessions, but for the kept one. If the password or the user has
 * changed since they were read, nothing happens. A login that verifies the old password at the same time finds another id of the
 * password in the user's record, or opens a session that these actions end.
 */
export function newPasswordActions(
  { identity, table }: { identity: TableWriter<'identity'>; table: TableWriter },
  {
    credentials,
    user,
    keptSessionId,
  }: {
    credentials: Stored<Credentials, 'identity'>;
    user: Stored<User>;
    keptSessionId?: string | undefined;
  },
  {
    passwordHash,
    passwordId,
    eventId,
  }: {
    passwordHash: string;
    /** A new id. */
    passwordId: string;
    eventId: string;
  },
  now: Date,
): Action[] {
  const after = {
    ...withSessionsEnded(user.data, now, keptSessionId),
    passwordId,
    updatedAt: timestamp(now),
  };
  return [
    identity.replace(credentials, { ...credentials.data, passwordHash, passwordId }),
    table.replace(user, after),
    sessionsEndedAction(table, { userId: user.data._id, account: 'password_changed' }, eventId, now),
  ];
}
