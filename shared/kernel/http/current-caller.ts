import { type Caller, type Role, reaches } from '../caller.ts';
import { Failure, Refused } from '../failure.ts';
import type { Operation } from '../operation.ts';
import type { CallerRecords, Standing } from '../ports.ts';
import { onlyReads } from '../uses.ts';
import { hasRole, requireRole } from './identify.ts';

/** Whether the operation acts in an organization that is not the caller's own: the one in the path, or in the header. */
function isAbroad({ organizationId, homeOrganizationId }: Caller, boundTo: string | undefined): boolean {
  return organizationId !== homeOrganizationId || boundTo !== homeOrganizationId;
}

/**
 * Whether the stored user must be looked at, because a role that was taken away would still do harm: to change anything, to do what
 * requires an ADMIN, and to act in another organization. Reading is open to any user, as far as the visibility rule reaches, until
 * the token ends. An API key has no such end, so it is always looked at.
 * @param boundTo the organization that the port `table` is bound to.
 */
function needsLook(operation: Operation, caller: Caller, boundTo: string | undefined): boolean {
  const { minimumRole } = operation;
  const isForAdministrators = minimumRole !== 'anyone' && reaches(minimumRole, 'ADMIN');
  return (
    caller.key !== undefined || !onlyReads(operation) || isForAdministrators || isAbroad(caller, boundTo)
  );
}

/**
 * The caller, with the user's current role if that is lower than the token's; a higher one comes with the next token. An API key is no
 * token that says a role: it has the current one.
 * @throws a 403 `Failure` when the current role is too low.
 */
function currentCaller(
  { minimumRole }: Operation,
  caller: Caller,
  boundTo: string | undefined,
  role: Role,
): Caller {
  if (caller.key !== undefined) {
    requireRole(minimumRole, { ...caller, role });
    return role === caller.role ? caller : { ...caller, role };
  }
  if (reaches(role, caller.role)) {
    return caller;
  }
  if (isAbroad(caller, boundTo) || (minimumRole !== 'anyone' && !reaches(role, minimumRole))) {
    throw roleLost();
  }
  return { ...caller, role };
}

/**
 * Runs an operation as its current caller. While the stored user is looked at, the operation reads already; its writes wait for the
 * look, and so does its result. If the user's role turns out to be lower, it runs again, with that role.
 * @throws `Refused`, as for an invalid token, when the user is disabled or gone or the API key no longer valid; a 403 `Failure` when the
 * current role is too low, whatever the operation did meanwhile.
 */
export async function runAsCurrentCaller<Result>(
  operation: Operation,
  claimed: Caller,
  boundTo: string | undefined,
  records: CallerRecords,
  run: (caller: Caller, mayWrite?: Promise<Standing>) => Promise<Result>,
): Promise<Result> {
  if (!needsLook(operation, claimed, boundTo)) {
    return run(claimed);
  }
  if (claimed.key !== undefined && !hasRole(operation, claimed)) {
    const standing = requireEnabled(await records.currentStanding());
    return run(currentCaller(operation, claimed, boundTo, standing.role), Promise.resolve(standing));
  }
  const looking = records.currentStanding().then((found) => {
    const standing = requireEnabled(found);
    return { standing, caller: currentCaller(operation, claimed, boundTo, standing.role) };
  });
  const mayWrite = looking.then(({ caller, standing }) => {
    if (caller !== claimed) {
      throw roleLost();
    }
    return standing;
  });
  const running = run(claimed, mayWrite);
  await Promise.allSettled([mayWrite, running]);
  const { caller, standing } = await looking;
  return caller === claimed ? running : run(caller, Promise.resolve(standing));
}

/** What is found of a caller: role or standing. @throws `Refused` for a user who is disabled or gone. */
export function requireEnabled<Found>(found: Found | undefined): Found {
  if (found === undefined) {
    throw new Refused('invalid');
  }
  return found;
}

/** For a caller whose role was lowered since the token was issued. */
export function roleLost(): Failure {
  return new Failure('FORBIDDEN', 'You no longer have the role in your token. Refresh the session.');
}
