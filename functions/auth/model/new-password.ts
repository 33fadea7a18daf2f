import { timestamp } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Step, Stored, TableWriter } from '../../../shared/table/table.ts';
import type { Credentials } from './credentials.ts';

/**
 * The steps that give a user another password and end the user's sessions. If the password or the user has changed since they were
 * read, nothing happens.
 */
export function newPasswordSteps(
  { identity, table }: { identity: TableWriter<'identity'>; table: TableWriter },
  { credentials, user }: { credentials: Stored<Credentials, 'identity'>; user: Stored<User> },
  { passwordHash }: { passwordHash: string; passwordId: string; eventId: string },
  now: Date,
): Step[] {
  const at = timestamp(now);
  return [
    identity.replace(credentials, { ...credentials.data, passwordHash }),
    table.replace(user, { ...user.data, sessionsNotBefore: at, updatedAt: at }),
  ];
}
