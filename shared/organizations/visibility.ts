import type { Role } from '../kernel/caller.ts';
import type { TableReader } from '../table/table.ts';
import type { User } from './user.ts';
import { userRange } from './user.ts';

/**
 * The one visibility rule: what a user may see. Reads, search, notes, sockets and exports use it, and the board reads the lists of the
 * users in its scope. Source: specification, "Authentication" 7; decisions 4.
 */
export type Scope =
  | { readonly kind: 'organization' }
  /** Records created by, owned by or assigned to one of these users. */
  | { readonly kind: 'users'; readonly userIds: ReadonlySet<string> };

/** A user, as far as it decides whose team that is. */
type Member = Pick<User, '_id' | 'departmentIds'>;

interface Viewer {
  readonly userId: string;
  readonly role: Role;
}

/** The users of a record. */
export interface Involved {
  readonly createdBy: string;
  readonly owner: string | null;
  readonly assignees: readonly string[];
}

/** The users of a record, each once: its creator, its owner and its assignees. */
export function involvedPeople({ createdBy, owner, assignees }: Involved): string[] {
  return [...new Set([createdBy, ...(owner === null ? [] : [owner]), ...assignees])];
}

/** Whether the scope includes a record of these users. */
export function sees(scope: Scope, people: readonly string[]): boolean {
  return scope.kind === 'organization' || people.some((userId) => scope.userIds.has(userId));
}

/** The user and everybody in one of the user's departments. */
export function teamMembers(userId: string, users: readonly Member[]): Set<string> {
  const ownDepartments = new Set(users.find(({ _id }) => _id === userId)?.departmentIds);
  return new Set([
    userId,
    ...users
      .filter(({ departmentIds }) => departmentIds.some((id) => ownDepartments.has(id)))
      .map(({ _id }) => _id),
  ]);
}

/** The viewer's scope among these users of the organization, which matter only for a DEPARTMENT_HEAD. */
export function scopeAmong(viewer: Viewer, users: readonly Member[]): Scope {
  switch (viewer.role) {
    case 'SUPERADMIN':
    case 'ADMIN':
      return { kind: 'organization' };
    case 'DEPARTMENT_HEAD':
      return { kind: 'users', userIds: teamMembers(viewer.userId, users) };
    case 'SALES_REP':
      return { kind: 'users', userIds: new Set([viewer.userId]) };
  }
}

/** The caller's scope. It reads the organization's users only if the role depends on them. */
export async function readScope(viewer: Viewer, table: TableReader): Promise<Scope> {
  return scopeAmong(viewer, viewer.role === 'DEPARTMENT_HEAD' ? await readUsers(table) : []);
}

/** Users with what each of them may see now. It reads the organization's users only if a role depends on them. */
export async function addScopes<Some extends { readonly user: User }>(
  some: readonly Some[],
  table: TableReader,
): Promise<(Some & { readonly scope: Scope })[]> {
  const hasHead = some.some(({ user }) => user.accessRole === 'DEPARTMENT_HEAD');
  const users = hasHead ? await readUsers(table) : [];
  return some.map((viewer) => {
    const { _id: userId, accessRole: role } = viewer.user;
    return { ...viewer, scope: scopeAmong({ userId, role }, users) };
  });
}

/** All users of the organization, disabled ones included. */
export async function readUsers(table: TableReader): Promise<User[]> {
  return (await table.list(userRange())).map(({ data }) => data);
}

/** At most this many users' lists are merged; for more, it is cheaper to read everybody's list and filter it. */
export const mergedViews = 25;

/**
 * The fewest lists that contain a whole scope: everybody's, or those of single users. Records outside the scope are filtered out.
 */
export function viewsOfScope(scope: Scope): (readonly ['all'] | readonly ['user', string])[] {
  return scope.kind === 'organization' || scope.userIds.size > mergedViews
    ? [['all']]
    : [...scope.userIds].map((userId) => ['user', userId] as const);
}
