import type { Role } from './kernel/caller.ts';
import type { User } from './organizations/user.ts';
import { userRange } from './organizations/user.ts';
import type { TableReader } from './table/table.ts';

/**
 * The one visibility rule: what a user may see. Board, reads, search, notes, sockets and exports all ask here.
 * Source: specification, "Authentication" 7, and decisions 4.
 */
export type Scope =
  | { readonly kind: 'organization' }
  /** Records created by, owned by or assigned to one of these users. */
  | { readonly kind: 'users'; readonly userIds: ReadonlySet<string> };

/** A user, as far as it decides who is in whose team. */
type Member = Pick<User, '_id' | 'departmentIds'>;

interface Viewer {
  readonly userId: string;
  readonly role: Role;
}

/** Users tied to a record. */
export interface Involved {
  readonly createdBy: string;
  readonly owner: string | null;
  readonly assignees: readonly string[];
}

export function peopleOf({ createdBy, owner, assignees }: Involved): string[] {
  return [...new Set([createdBy, ...(owner === null ? [] : [owner]), ...assignees])];
}

/** True when a record tied to these users lies in the scope. */
export function sees(scope: Scope, people: readonly string[]): boolean {
  return scope.kind === 'organization' || people.some((userId) => scope.userIds.has(userId));
}

/** Everybody who shares a department with the user, and the user. */
export function teamOf(userId: string, users: readonly Member[]): Set<string> {
  const own = new Set(users.find(({ _id }) => _id === userId)?.departmentIds);
  return new Set([
    userId,
    ...users.filter(({ departmentIds }) => departmentIds.some((id) => own.has(id))).map(({ _id }) => _id),
  ]);
}

/** The scope of a viewer among these users of the organization, which only a DEPARTMENT_HEAD's depends on. */
export function scopeAmong(viewer: Viewer, users: readonly Member[]): Scope {
  switch (viewer.role) {
    case 'SUPERADMIN':
    case 'ADMIN':
      return { kind: 'organization' };
    case 'DEPARTMENT_HEAD':
      return { kind: 'users', userIds: teamOf(viewer.userId, users) };
    case 'SALES_REP':
      return { kind: 'users', userIds: new Set([viewer.userId]) };
  }
}

/** The scope of a caller. Reads the organization's users only where the role needs them. */
export async function scopeOf(viewer: Viewer, table: TableReader): Promise<Scope> {
  return scopeAmong(viewer, viewer.role === 'DEPARTMENT_HEAD' ? await usersOf(table) : []);
}

export async function usersOf(table: TableReader): Promise<User[]> {
  return (await table.list(userRange())).map(({ data }) => data);
}

/** Users whose lists are merged at most; for more it is cheaper to read everybody's and leave out the others'. */
export const mergedViews = 25;

/** The fewest lists, of everybody or of single users, that hold all of a scope: what they hold beyond it is to be left out. */
export function viewsOfScope(scope: Scope): (readonly ['all'] | readonly ['user', string])[] {
  return scope.kind === 'organization' || scope.userIds.size > mergedViews
    ? [['all']]
    : [...scope.userIds].map((userId) => ['user', userId] as const);
}
