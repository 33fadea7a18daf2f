import { type Claims, lowerRole } from '../../../shared/kernel/caller.ts';
import type { Refusal } from '../../../shared/kernel/failure.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { apiKeyKey, apiKeySecretKey, keyClaims, secretEnd } from '../../../shared/organizations/api-key.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { toDigest } from '../../../shared/table/digest.ts';

/** The claims of an API key; `invalid` for one that is unknown, deleted, replaced or expired, or whose user is disabled. */
export async function readKeyClaims(
  secret: string,
  { identity, organizations, keyUses }: Ports<{ identity: 'read'; organizations: 'read'; keyUses: 'note' }>,
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
    keyUses.note(known.organizationId, known.apiKeyId),
  ]);
  if (user === undefined || user.data.disabled) {
    return 'invalid';
  }
  const role = lowerRole(user.data.accessRole, key.data.role);
  return keyClaims(key.data, known.organizationId, role, { digest, expiresAt });
}
