import { Failure } from '../../../shared/kernel/failure.ts';
import { joinActions } from '../../../shared/organizations/departments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { userEventAction } from '../../../shared/organizations/user-event.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { emailCredentialsKeys } from './credentials.ts';

interface Refusals {
  /** The error when the address is taken; a 409 `Failure` unless stated. */
  readonly taken?: () => Error;
  /** The error when a department does not exist; a 404 `Failure` unless stated. */
  readonly noDepartment?: (id: string) => Error;
}

interface Joining {
  /** The event for the members of the organization needs it; absent for the first user of a new one. */
  readonly joining?: { readonly eventId: string; readonly now: Date } | undefined;
}

/** The actions that give a user an account. */
export function accountActions(
  identity: TableWriter<'identity'>,
  table: TableWriter,
  user: User,
  passwordHash: string,
  { taken = emailTaken, noDepartment, joining }: Refusals & Joining = {},
): Action[] {
  const credentials = { userId: user._id, organizationId: user.organizationId, passwordHash };
  const [key, ...others] = emailCredentialsKeys(user.email);
  return [
    identity.add(key, credentials, { otherwise: taken }),
    ...others.map((other) => identity.require(other, { when: 'attribute_not_exists(pk)', otherwise: taken })),
    ...joinActions(table, user.departmentIds, noDepartment),
    table.add(userKey(user._id), user),
    ...(joining === undefined ? [] : [userEventAction(table, { userId: user._id }, joining)]),
  ];
}

export const emailTaken = () => new Failure('CONFLICT', 'A user with this email address already exists.');
