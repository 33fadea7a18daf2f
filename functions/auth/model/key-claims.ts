import { type Claims, lowerRole } from '../../../shared/kernel/caller.ts';
import type { Refusal } from '../../../shared/kernel/failure.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { utcDay } from '../../../shared/kernel/time.ts';
import {
  type ApiKey,
  apiKeyKey,
  apiKeySecretKey,
  keyClaims,
  secretEnd,
} from '../../../shared/organizations/api-key.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';

/** The claims of an API key; `invalid` for one that is unknown, deleted, replaced or expired, or whose user is disabled. */
export async function readKeyClaims(
  secret: string,
  { identity, organizations }: Ports<{ identity: 'read'; organizations: 'write' }>,
  now: Date,
): Promise<Claims | Refusal> {
  const digest = toDigest(secret);
  const known = (await identity.read(apiKeySecretKey(digest)))?.data;
  if (known === undefined) {
    return 'invalid';
  }
  const organization = organizations(known.organizationId);
  const key = await organization.read(apiKeyKey(known.apiKeyId));
  const expiresAt = key && secretEnd(key.data, digest, now);
  if (key === undefined || expiresAt === undefined) {
    return 'invalid';
  }
  const [user] = await Promise.all([
    organization.read(userKey(key.data.userId)),
    noteUse(organization, key, utcDay(now)),
  ]);
  if (user === undefined || user.data.disabled) {
    return 'invalid';
  }
  const role = lowerRole(user.data.accessRole, key.data.role);
  return keyClaims(key.data, known.organizationId, role, { digest, expiresAt });
}

/** Notes the day of the use, once a day, unless the key has just been deleted. A request does not fail because that cannot be noted. */
async function noteUse(organization: TableWriter, key: Stored<ApiKey>, usedOn: string): Promise<void> {
  if (key.attributes?.usedOn !== usedOn) {
    const change = { update: 'SET usedOn = :usedOn', when: 'attribute_exists(pk)', values: { usedOn } };
    await organization.update(key.key, change).catch(() => undefined);
  }
}
