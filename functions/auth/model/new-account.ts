import { Failure } from '../../../shared/kernel/failure.ts';
import { joinActions } from '../../../shared/organizations/departments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { userChangeAction } from '../../../shared/organizations/user-change-count.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { credentialsKey } from './credentials.ts';
import { emailDigest } from './email.ts';

interface Refusals {
  /** The error when the address is taken; a 409 `Failure` unless stated. */
  readonly taken?: () => Error;
  /** The error when a department does not exist; a 404 `Failure` unless stated. */
  readonly noDepartment?: (id: string) => Error;
}

/** The actions that give a user an account. */
export function accountActions(
  identity: TableWriter<'identity'>,
  table: TableWriter,
  user: User,
  passwordHash: string,
  { taken = emailTaken, noDepartment }: Refusals = {},
): Action[] {
  const credentials = { userId: user._id, organizationId: user.organizationId, passwordHash };
  return [
    identity.add(credentialsKey(emailDigest(user.email)), credentials, { otherwise: taken }),
    ...joinActions(table, user.departmentIds, noDepartment),
    // Who leads one of the departments sees the new member's records from now on.
    ...(user.departmentIds.length > 0 ? [userChangeAction(table)] : []),
    table.add(userKey(user._id), user),
  ];
}

export const emailTaken = () => new Failure('CONFLICT', 'A user with this email address already exists.');
