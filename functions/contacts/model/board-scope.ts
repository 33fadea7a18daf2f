import { isUnassigned } from '../../../shared/contacts/contact.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { PipelineType } from '../../../shared/pipelines/pipeline.ts';
import type { View } from '../../../shared/views.ts';
import { mergedViews, peopleOf, type Scope, scopeAmong, teamOf } from '../../../shared/visibility.ts';
import type { BoardQuery } from './board-query.ts';
import { bothOf, type Predicate } from './filters.ts';

/** Who asks for a board, among the users of the organization where `needsUsers` says so. */
export interface BoardAsker {
  readonly caller: Caller;
  readonly users: readonly User[];
}

/** Which views to read, and what their contacts must still satisfy. */
export interface BoardScope {
  readonly views: readonly View[];
  readonly residual: Predicate | undefined;
}

/** True when the scope of this query depends on who shares a department with whom. */
export function needsUsers(caller: Caller, { ownerFilter, owner }: BoardQuery): boolean {
  return caller.role === 'DEPARTMENT_HEAD' || (ownerFilter === 'team' && !owner?.length);
}

/**
 * The owner filter, cut to the caller's own scope. Each asks that one of some users is tied to the contact; the views of
 * the smallest such set are read and the others checked. Applications lie in the view of all alone, where everything is
 * checked. Source: decisions 6, "ownerFilter".
 */
export function boardScope({ caller, users }: BoardAsker, query: BoardQuery, type: PipelineType): BoardScope {
  const { ownerFilter } = query;
  const owners = query.owner?.length ? query.owner : undefined;
  const onlyUnassigned = owners === undefined && ownerFilter === 'unassigned';
  const wanted = [
    usersIn(scopeAmong(caller, users)),
    owners ? new Set(owners) : ownedBy(ownerFilter, caller, users),
  ].filter((set) => set !== undefined);

  if (type === 'Application') {
    return {
      views: [['all']],
      residual: bothOf(tiedToOneOfEach(wanted), onlyUnassigned ? isUnassigned : undefined),
    };
  }
  const [smallest] = [...wanted].sort((a, b) => a.size - b.size);
  if (smallest === undefined || smallest.size > mergedViews) {
    return { views: [onlyUnassigned ? ['unassigned'] : ['all']], residual: tiedToOneOfEach(wanted) };
  }
  // Whoever is tied to one of the smallest set satisfies every set that holds all of it.
  const rest = wanted.filter((set) => !smallest.isSubsetOf(set));
  return {
    views: [...smallest].map((userId) => ['user', userId] as const),
    residual: bothOf(tiedToOneOfEach(rest), onlyUnassigned ? isUnassigned : undefined),
  };
}

function usersIn(scope: Scope): ReadonlySet<string> | undefined {
  return scope.kind === 'users' ? scope.userIds : undefined;
}

function ownedBy(
  ownerFilter: string,
  { userId }: Caller,
  users: readonly User[],
): ReadonlySet<string> | undefined {
  switch (ownerFilter) {
    case 'all':
    case 'unassigned':
      return undefined;
    case 'my':
      return new Set([userId]);
    case 'team':
      return teamOf(userId, users);
    default:
      return new Set([ownerFilter]);
  }
}

function tiedToOneOfEach(sets: readonly ReadonlySet<string>[]): Predicate | undefined {
  return sets.length === 0
    ? undefined
    : (contact) => {
        const people = peopleOf(contact);
        return sets.every((set) => people.some((userId) => set.has(userId)));
      };
}
