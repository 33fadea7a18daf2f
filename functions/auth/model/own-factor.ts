import { Refused } from '../../../shared/kernel/failure.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import type { Factor } from './factor.ts';
import { type FactorRecords, readFactor } from './factor-check.ts';
import { factorNotFound } from './factor-response.ts';

interface OwnFactor extends FactorRecords {
  readonly user: Stored<User>;
  readonly factor: Stored<Factor, 'identity'>;
}

/** Reads a factor of the caller, and the caller. @throws `Refused` for a user who is disabled or gone; a 404 `Failure` without that factor. */
export async function readOwnFactor(
  { table, identity }: { readonly table: TableReader; readonly identity: TableReader<'identity'> },
  userId: string,
  factorId: string,
): Promise<OwnFactor> {
  const [user, { factor, wrongCodes }] = await Promise.all([
    table.read(userKey(userId)),
    readFactor(identity, userId),
  ]);
  if (user === undefined || user.data.disabled) {
    throw new Refused('invalid');
  }
  if (factor?.data._id !== factorId) {
    throw factorNotFound();
  }
  return { user, factor, wrongCodes };
}
