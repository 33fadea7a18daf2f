import { type Caller, type Role, reaches } from '../caller.ts';
import { Failure, Refused } from '../failure.ts';
import type { Operation } from '../operation.ts';
import type { CallerRecords } from '../ports.ts';
import { onlyReads } from '../uses.ts';

/** Whether the operation acts in an organization that is not the caller's own: the one in the path, or in the header. */
function isAbroad({ organizationId, homeOrganizationId }: Caller, boundTo: string | undefined): boolean {
  return organizationId !== homeOrganizationId || boundTo !== homeOrganizationId;
}

/**
 * Whether the stored user must be looked at, because a role that was taken away would still do harm: to change anything, to do what
 * requires an ADMIN, and to act in another organization. Reading is open to any user, as far as the visibility rule reaches, until
 * the token ends.
 * @param boundTo the organization that the port `table` is bound to.
 */
function needsLook(operation: Operation, caller: Caller, boundTo: string | undefined): boolean {
  const { minimumRole } = operation;
  const isForAdministrators = minimumRole !== 'anyone' && reaches(minimumRole, 'ADMIN');
  return !onlyReads(operation) || isForAdministrators || isAbroad(caller, boundTo);
}

/**
 * The caller, with the user's current role if that is lower than the token's; a higher one comes with the next token.
 * @throws `Refused`, as for an invalid token, when the user is disabled or gone; a 403 `Failure` when the current role is too low.
 */
async function currentCaller(
  { minimumRole }: Operation,
  caller: Caller,
  boundTo: string | undefined,
  records: CallerRecords,
): Promise<Caller> {
  const role = requireEnabled(await records.currentRole());
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
 * @throws as `currentCaller` does, whatever the operation did meanwhile.
 */
export async function runAsCurrentCaller<Result>(
  operation: Operation,
  claimed: Caller,
  boundTo: string | undefined,
  records: CallerRecords,
  run: (caller: Caller, mayWrite?: Promise<void>) => Promise<Result>,
): Promise<Result> {
  if (!needsLook(operation, claimed, boundTo)) {
    return run(claimed);
  }
  const looking = currentCaller(operation, claimed, boundTo, records);
  const mayWrite = looking.then((caller) => {
    if (caller !== claimed) {
      throw roleLost();
    }
  });
  const running = run(claimed, mayWrite);
  await Promise.allSettled([mayWrite, running]);
  const caller = await looking;
  return caller === claimed ? running : run(caller);
}

/** The current role of a caller. @throws `Refused` for a user who is disabled or gone. */
export function requireEnabled(role: Role | undefined): Role {
  if (role === undefined) {
    throw new Refused('invalid');
  }
  return role;
}

/** For a caller whose role was lowered since the token was issued. */
export function roleLost(): Failure {
  return new Failure('FORBIDDEN', 'You no longer have the role in your token. Refresh the session.');
}
