import { reaches } from '../../../shared/kernel/caller.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import type { User } from '../../../shared/organizations/user.ts';

/** Whether the user must have a second factor and has none. */
export function lacksFactor(
  { factorId, accessRole }: Pick<User, 'factorId' | 'accessRole'>,
  { sessionConfig: { factorRequiredFor = 'nobody' } }: Pick<Organization, 'sessionConfig'>,
): boolean {
  return (
    factorId === undefined &&
    (factorRequiredFor === 'everybody' || (factorRequiredFor === 'admins' && reaches(accessRole, 'ADMIN')))
  );
}
