import * as z from 'zod/mini';
import { reaches, roles } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { anyBoolean, Id, Name } from '../../../shared/kernel/schemas/fields.ts';
import { departmentLimit } from '../../../shared/organizations/departments.ts';
import { conversationOpenPreferences, type User } from '../../../shared/organizations/user.ts';

/** The changes of a user in a request; an absent key keeps its value. */
export const UserChanges = z.partial(
  z.object({
    accessRole: z.enum(roles),
    departmentIds: z.array(Id).check(z.maxLength(departmentLimit)),
    disabled: anyBoolean,
    conversationOpenPreference: z.enum(conversationOpenPreferences),
    firstName: Name,
    lastName: Name,
  }),
);
export type UserChanges = z.output<typeof UserChanges>;

/**
 * Refuses what `actor`, by their current record, may not change of `user`: all users may change their own name and
 * conversationOpenPreference, an ADMIN everything of users up to that role.
 * @throws a 403 `Failure`; a 409 for changes that nobody may make to themselves, so that an organization never loses its last
 * ADMIN.
 */
export function authorizeChanges(actor: User | undefined, user: User, changes: UserChanges): void {
  const { accessRole, departmentIds, disabled } = changes;
  const isSelf = actor?._id === user._id;
  if (isSelf && [accessRole, departmentIds, disabled].every((value) => value === undefined)) {
    return;
  }
  requireAuthority(
    actor,
    user,
    'You may change only your own name and conversationOpenPreference; anything else requires the role ADMIN or SUPERADMIN.',
    'change',
  );
  if (accessRole !== undefined && !reaches(actor.accessRole, accessRole)) {
    throw forbidden('You may not assign a role above your own.');
  }
  if (isSelf && accessRole !== undefined && accessRole !== actor.accessRole) {
    throw new Failure('CONFLICT', 'You cannot lower your own role. Ask another administrator.');
  }
  if (isSelf && disabled === true) {
    throw new Failure('CONFLICT', 'You cannot disable your own account. Ask another administrator.');
  }
}

const onlyOwn = {
  'sign out': 'You may sign out only yourself; signing out others requires the role ADMIN or SUPERADMIN.',
  'see the sessions of':
    'You may see only your own sessions; those of others require the role ADMIN or SUPERADMIN.',
};

/**
 * Refuses who may not decide over the sessions of `user`, or see them, by their current record: all users may over their own, an ADMIN over
 * those of users up to that role.
 * @throws a 403 `Failure`.
 */
export function authorizeSessions(actor: User | undefined, user: User, act: keyof typeof onlyOwn): void {
  if (actor?._id !== user._id) {
    requireAuthority(actor, user, onlyOwn[act], act);
  }
}

/**
 * @param roleTooLow the text for an actor below ADMIN.
 * @param act what is refused, for the other texts.
 * @throws a 403 `Failure` unless `actor` may decide over `user`: an ADMIN over users up to that role.
 */
function requireAuthority(
  actor: User | undefined,
  user: User,
  roleTooLow: string,
  act: 'change' | 'sign out' | 'see the sessions of',
): asserts actor is User {
  if (actor === undefined || actor.disabled || !reaches(actor.accessRole, 'ADMIN')) {
    throw forbidden(roleTooLow);
  }
  if (actor.organizationId !== user.organizationId && actor.accessRole !== 'SUPERADMIN') {
    throw forbidden(`Only a SUPERADMIN may ${act} users of another organization.`);
  }
  if (!reaches(actor.accessRole, user.accessRole)) {
    throw forbidden(`Only a SUPERADMIN may ${act} a SUPERADMIN.`);
  }
}

const forbidden = (message: string) => new Failure('FORBIDDEN', message);
