import { Failure } from '../../../shared/kernel/failure.ts';
import { joinActions } from '../../../shared/organizations/departments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { userChangeAction } from '../../../shared/organizations/user-changes.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { credentialsKey } from './credentials.ts';
import { emailDigest } from './email.ts';

/**
 * The actions that give a user an account.
 * @param noDepartment the error when a department does not exist; a 404 `Failure` unless stated.
 * @throws a 409 `Failure` when the address is taken.
 */
export function accountActions(
  identity: TableWriter<'identity'>,
  table: TableWriter,
  user: User,
  passwordHash: string,
  noDepartment?: (id: string) => Error,
): Action[] {
  const credentials = { userId: user._id, organizationId: user.organizationId, passwordHash };
  return [
    identity.add(credentialsKey(emailDigest(user.email)), credentials, { otherwise: emailTaken }),
    ...joinActions(table, user.departmentIds, noDepartment),
    // Who leads one of the departments sees the new member's records from now on.
    ...(user.departmentIds.length > 0 ? [userChangeAction(table)] : []),
    table.add(userKey(user._id), user),
  ];
}

export const emailTaken = () =>
  new Failure('CONFLICT', 'A user with this email address already exists. Log in, or use another address.');
