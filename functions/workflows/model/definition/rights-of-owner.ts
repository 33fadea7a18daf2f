import type { Caller } from '../../../../shared/kernel/caller.ts';
import { reaches } from '../../../../shared/kernel/caller.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import type { User } from '../../../../shared/organizations/user.ts';
import { readUsers, type Scope, scopeAmong } from '../../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';

/** The caller's scope, and the users who have no more rights than the caller. */
export interface Rights {
  readonly scope: Scope;
  /** Whether this user may do nothing in the organization that the caller may not. */
  covers(userId: string): boolean;
  /** The user's rights of now, if the caller cannot vouch for more: the bound of a workflow that the caller changes last. */
  boundOf(userId: string): Reach | undefined;
}

/** Who may have a workflow act, or keep it from acting, for the descriptions of operations. */
export const whoHasRightsOfOwner =
  'Only its owner, an ADMIN, or a DEPARTMENT_HEAD with all rights of the owner may do this; others who see the workflow get 403.';

/** Reads it in one round trip: as much as the scope alone takes. */
export async function readRights(
  caller: Pick<Caller, 'userId' | 'role'>,
  table: TableReader,
): Promise<Rights> {
  const users = caller.role === 'DEPARTMENT_HEAD' ? await readUsers(table) : [];
  return rightsAmong(caller, users);
}

/** The caller's rights among these users of the organization, which matter only for a DEPARTMENT_HEAD. */
export function rightsAmong(
  { userId, role }: Pick<Caller, 'userId' | 'role'>,
  users: readonly Pick<User, '_id' | 'accessRole' | 'departmentIds'>[],
): Rights {
  const scope = scopeAmong({ userId, role }, users);
  return {
    scope,
    covers(ownerId) {
      // Within an organization, nobody has more rights than an ADMIN. Source: decisions, "DEPARTMENT_HEAD" and "ADMIN".
      if (ownerId === userId || scope.kind === 'organization') {
        return true;
      }
      const owner = users.find(({ _id }) => _id === ownerId);
      if (owner === undefined || !reaches(role, owner.accessRole)) {
        return false;
      }
      const owned = scopeAmong({ userId: ownerId, role: owner.accessRole }, users);
      return owned.kind === 'users' && owned.userIds.isSubsetOf(scope.userIds);
    },
    boundOf(ownerId) {
      const isVouchedFor = ownerId === userId || scope.kind === 'organization';
      const owner = isVouchedFor ? undefined : users.find(({ _id }) => _id === ownerId);
      return owner && { role: owner.accessRole, departmentIds: owner.departmentIds };
    },
  };
}

/** @throws a 403 `Failure` if a workflow of this owner may do what the caller may not: then the caller neither starts nor ends it. */
export function requireRightsOfOwner(rights: Rights, ownerId: string): void {
  if (!rights.covers(ownerId)) {
    throw widerRights();
  }
}

/** The 403 for somebody without the rights of the owner of a workflow. */
export const widerRights = () =>
  new Failure(
    'FORBIDDEN',
    'This workflow acts with the rights of its owner, which are wider than yours. Ask its owner or an ADMIN.',
  );
