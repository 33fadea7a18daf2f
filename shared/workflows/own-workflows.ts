import { type Role, reaches } from '../kernel/caller.ts';
import type { User } from '../organizations/user.ts';
import type { Range } from '../table/key.ts';

/** How far the rights of a user reach. */
export interface Reach {
  readonly role: Role;
  readonly departmentIds: readonly string[];
}

/**
 * The role as which the workflow of a user acts, who may have got wider rights since.
 * @param most the rights that the user had when somebody else changed the workflow last; undefined if it may use those of now.
 */
export function roleWithin(
  { accessRole, departmentIds }: Pick<User, 'accessRole' | 'departmentIds'>,
  most: Reach | undefined,
): Role {
  if (most === undefined) {
    return accessRole;
  }
  const role = reaches(most.role, accessRole) ? accessRole : most.role;
  const seesMore = departmentIds.some((id) => !most.departmentIds.includes(id));
  return role === 'DEPARTMENT_HEAD' && seesMore ? 'SALES_REP' : role;
}

/** A workflow in its owner's list, as far as the rights of its owner concern it. */
export interface OwnWorkflow {
  readonly name: string;
  /** The rights that it is held to. */
  readonly most?: Reach;
}

export const ownWorkflowRange = (userId: string): Range<OwnWorkflow> => ({
  partition: ['WORKFLOWS', 'user', userId],
});
