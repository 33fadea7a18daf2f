import { createHash, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import * as z from 'zod/mini';
import { after, day, minute, second, timestamp } from '../time.ts';
import { refreshTokenLife } from './refresh-token.ts';

const PrivateJwk = z.object({
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

const HmacKey = z.string().check(z.minLength(43));

/** The secret that signs tokens. */
export const SigningSecret = z.object({
  /** Increases with each rotation, so that a repeated deployment does not rotate again. */
  generation: z.int().check(z.minimum(1)),
  /** Newest first. The older ones only verify. Each has the generation that it was made for; the first deployments kept none. */
  keys: z
    .array(z.object({ jwk: PrivateJwk, signsFrom: z.iso.datetime(), generation: z._default(z.int(), 1) }))
    .check(z.minLength(1)),
  /** The HMAC key of refresh tokens, in base64url. Beside a newer one it only verifies. */
  refreshKey: HmacKey,
  /** The key that takes its place; absent until it was replaced once. */
  newerRefreshKey: z.optional(z.object({ key: HmacKey, signsFrom: z.iso.datetime() })),
});
export type SigningSecret = z.infer<typeof SigningSecret>;
type SigningKey = SigningSecret['keys'][number];

export interface SigningSecretStore {
  /** The secret; undefined until one is written. @throws when the stored secret is damaged. */
  read(): Promise<SigningSecret | undefined>;
  /**
   * Writes what `edit` makes of the secret, unless that is the same object.
   * @returns the secret after that. @throws when another writer has changed it in between.
   */
  change<Edited extends SigningSecret | undefined>(
    edit: (existing: SigningSecret | undefined) => Promise<Edited> | Edited,
  ): Promise<Edited>;
}

/** Keys to keep, the newest included: no access token outlives two rotations, and the set must stay small. */
const keysKept = 3;

/**
 * How long verifiers know a new key before it signs. A deployment replaces verifiers and signers one after another, and no token
 * may name a key that a verifier does not know yet.
 */
const announcement = 30 * minute;

async function newKey(generation: number, signsFrom: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    jwk: PrivateJwk.parse({ ...jwk, kid, alg: 'ES256', use: 'sig' }),
    signsFrom: timestamp(signsFrom),
    generation,
  };
}

const newRefreshKey = () => randomBytes(32).toString('base64url');

/** The first secret of a stage, with one key, which signs at once. */
export async function createSigningSecret(generation: number, now: Date): Promise<SigningSecret> {
  return { generation, keys: [await newKey(generation, now)], refreshKey: newRefreshKey() };
}

/** The secret with a new first key, which signs from half an hour later. */
export async function rotateSecret(
  secret: SigningSecret,
  generation: number,
  now: Date,
): Promise<SigningSecret> {
  const added = await newKey(generation, after(now, announcement));
  return { ...secret, generation, keys: [added, ...secret.keys].slice(0, keysKept) };
}

/**
 * How long one key makes refresh tokens. At the next rotation the key before it is dropped: by then every token that it made has expired,
 * however late the processes were that made it.
 */
const refreshKeyLife = refreshTokenLife + day;

/** The secret with a newer key for refresh tokens, which makes them from half an hour later; the same one if it is not time for that. */
export function withCurrentRefreshKey(secret: SigningSecret, now: Date): SigningSecret {
  const { newerRefreshKey: newest } = secret;
  if (newest !== undefined && now.getTime() - Date.parse(newest.signsFrom) < refreshKeyLife) {
    return secret;
  }
  const signsFrom = timestamp(after(now, announcement));
  return {
    ...secret,
    refreshKey: newest?.key ?? secret.refreshKey,
    newerRefreshKey: { key: newRefreshKey(), signsFrom },
  };
}

/** The key that makes refresh tokens now. */
export function refreshKeyAt({ refreshKey, newerRefreshKey: newer }: SigningSecret, now: Date): string {
  return newer !== undefined && Date.parse(newer.signsFrom) <= now.getTime() ? newer.key : refreshKey;
}

/** The keys that verify refresh tokens. */
export function acceptedRefreshKeys({ refreshKey, newerRefreshKey: newer }: SigningSecret): string[] {
  return newer === undefined ? [refreshKey] : [newer.key, refreshKey];
}

/**
 * The secret without the keys of lower generations. If it had any, a thief of those keys could also make refresh tokens, so the
 * refresh keys are replaced too, which ends every session.
 * @throws when no key would be left.
 */
export function withoutKeysBefore(secret: SigningSecret, generation: number): SigningSecret {
  const keys = secret.keys.filter((key) => key.generation >= generation);
  if (keys.length === 0) {
    throw new Error('No key would be left: the generation of the keys must become higher, too.');
  }
  const { newerRefreshKey: _, ...rest } = secret;
  return keys.length === secret.keys.length ? secret : { ...rest, keys, refreshKey: newRefreshKey() };
}

/** Changes whenever a key is added or revoked, and tells nothing about the keys. */
export function secretFingerprint({ keys }: SigningSecret): string {
  const ids = keys.map(({ jwk }) => jwk.kid).join();
  return createHash('sha256').update(ids).digest('base64url');
}

/** The key that signs now: the newest one that has been known long enough. */
export function signingKey({ keys }: SigningSecret, now: Date): SigningKey {
  const key = keys.find(({ signsFrom }) => Date.parse(signsFrom) <= now.getTime()) ?? keys.at(-1);
  if (key === undefined) {
    throw new Error('The signing secret holds no key');
  }
  return key;
}

/** The public keys, as a JWK Set. */
export function publicKeySet({ keys }: SigningSecret): JSONWebKeySet {
  return { keys: keys.map(({ jwk: { d: _, ...publicJwk } }) => publicJwk) };
}

/** The secret in a process. */
interface HeldKeys {
  readonly secret: SigningSecret;
  readonly publicKeys: JSONWebKeySet;
}

/** The keys of a process. */
export interface SigningKeys {
  /** At most five minutes old, unless the secret cannot be read. */
  current(now: Date): Promise<HeldKeys>;
  /** Reads again, at most every 30 seconds: anyone can send a token with an unknown key. */
  renewed(now: Date): Promise<HeldKeys>;
}

/** Held keys are read again after this time: a process must not sign for hours with a key that is no longer trusted. */
const reuse = 5 * minute;
const renewalPause = 30 * second;

/** The keys of this store in a process. Both methods reject while the store has none. */
export function signingKeys(store: Pick<SigningSecretStore, 'read'>): SigningKeys {
  let held: Promise<HeldKeys> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;

  async function stored(): Promise<HeldKeys> {
    const secret = await store.read();
    if (secret === undefined) {
      throw new Error(
        'The signing secret has no keys yet: the deployment step make-signing-keys has not run',
      );
    }
    return { secret, publicKeys: publicKeySet(secret) };
  }

  function read(now: Date): Promise<HeldKeys> {
    const former = held;
    // If the secret cannot be read again, the process keeps the keys it has for another five minutes.
    const reading = former === undefined ? stored() : stored().catch(() => former);
    held = reading;
    readAt = now.getTime();
    // A first read that failed is not kept: the next call tries again.
    reading.catch(() => {
      held = held === reading ? undefined : held;
    });
    return reading;
  }

  function current(now: Date): Promise<HeldKeys> {
    return held === undefined || now.getTime() - readAt >= reuse ? read(now) : held;
  }

  return {
    current,
    renewed(now) {
      if (now.getTime() - renewedAt < renewalPause) {
        return current(now);
      }
      renewedAt = now.getTime();
      return read(now);
    },
  };
}
