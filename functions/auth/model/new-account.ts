import { Failure } from '../../../shared/kernel/failure.ts';
import { joinSteps } from '../../../shared/organizations/departments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { userChangeStep } from '../../../shared/organizations/user-changes.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { credentialsKey } from './credentials.ts';
import { emailDigest } from './email.ts';

interface Refusals {
  /** The error when the address is taken; a 409 `Failure` unless stated. */
  readonly taken?: () => Error;
  /** The error when a department does not exist; a 404 `Failure` unless stated. */
  readonly noDepartment?: () => Error;
}

/** The steps that give a user an account. */
export function accountSteps(
  identity: TableWriter<'identity'>,
  table: TableWriter,
  user: User,
  passwordHash: string,
  { taken = emailTaken, noDepartment }: Refusals = {},
): Step[] {
  const credentials = { userId: user._id, organizationId: user.organizationId, passwordHash };
  return [
    identity.add(credentialsKey(emailDigest(user.email)), credentials, { otherwise: taken }),
    ...joinSteps(table, user.departmentIds, noDepartment),
    // Who leads one of the departments sees the new member's records from now on.
    ...(user.departmentIds.length > 0 ? [userChangeStep(table)] : []),
    table.add(userKey(user._id), user),
  ];
}

export const emailTaken = () => new Failure('CONFLICT', 'A user with this e-mail address already exists.');
