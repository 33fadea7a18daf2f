import { randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import * as z from 'zod/mini';
import { after, minute, second, timestamp } from '../kernel/time.ts';

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

/** The secret that signs tokens. */
export const SigningSecret = z.object({
  /** Increases with each rotation, so that a repeated deployment does not rotate again. */
  generation: z.int().check(z.minimum(1)),
  /** Newest first. The older ones only verify. */
  keys: z.array(z.object({ jwk: PrivateJwk, signsFrom: z.iso.datetime() })).check(z.minLength(1)),
  /** The HMAC key of refresh tokens, in base64url. It is not rotated, because that would end every session. */
  refreshKey: z.string().check(z.minLength(43)),
});
export type SigningSecret = z.infer<typeof SigningSecret>;
type SigningKey = SigningSecret['keys'][number];

export interface SigningSecretStore {
  /** The secret; undefined until one is written. @throws when the stored secret is damaged. */
  read(): Promise<SigningSecret | undefined>;
  write(secret: SigningSecret): Promise<void>;
}

/** Keys to keep, the newest included: no access token outlives two rotations, and the set must stay small. */
const keysKept = 3;

/**
 * How long verifiers know a new key before it signs. A deployment replaces verifiers and signers one after another, and no token
 * may name a key that a verifier does not know yet.
 */
const announcement = 30 * minute;

async function newKey(signsFrom: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    jwk: PrivateJwk.parse({ ...jwk, kid, alg: 'ES256', use: 'sig' }),
    signsFrom: timestamp(signsFrom),
  };
}

export async function newSigningSecret(generation: number, now: Date): Promise<SigningSecret> {
  return { generation, keys: [await newKey(now)], refreshKey: randomBytes(32).toString('base64url') };
}

/** The secret with a new first key, which signs from half an hour later. */
export async function rotated(secret: SigningSecret, generation: number, now: Date): Promise<SigningSecret> {
  const added = await newKey(after(now, announcement));
  return { ...secret, generation, keys: [added, ...secret.keys].slice(0, keysKept) };
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
export function publicKeysOf({ keys }: SigningSecret): JSONWebKeySet {
  return { keys: keys.map(({ jwk: { d: _, ...publicJwk } }) => publicJwk) };
}

/** The secret in a process. */
interface HeldKeys {
  readonly secret: SigningSecret;
  readonly publicKeys: JSONWebKeySet;
}

/** The keys of a process, read once and kept. */
export interface SigningKeys {
  current(): Promise<HeldKeys>;
  /** Reads again, at most every 30 seconds: anyone can send a token with an unknown key. */
  renewed(now: Date): Promise<HeldKeys>;
}

const renewalPause = 30 * second;

export function signingKeys(store: SigningSecretStore): SigningKeys {
  let held: Promise<HeldKeys> | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<HeldKeys> {
    const secret = await store.read();
    if (secret === undefined) {
      throw new Error(
        'The signing secret has no keys yet: the deployment step make-signing-keys has not run',
      );
    }
    return { secret, publicKeys: publicKeysOf(secret) };
  }

  function current(): Promise<HeldKeys> {
    if (held === undefined) {
      const reading = read();
      held = reading;
      // A failed read is not kept: the next call tries again.
      reading.catch(() => {
        held = held === reading ? undefined : held;
      });
    }
    return held;
  }

  return {
    current,
    renewed(now) {
      if (now.getTime() - renewedAt >= renewalPause) {
        renewedAt = now.getTime();
        held = undefined;
      }
      return current();
    },
  };
}
