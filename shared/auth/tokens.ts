import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod/mini';
import { type Claims, roles } from '../kernel/caller.ts';
import type { Refusal } from '../kernel/failure.ts';
import { after, epochSeconds, minute } from '../time.ts';
import { type RefreshPosition, sealed, unsealed } from './refresh-token.ts';
import { type SigningKeys, signingKey } from './signing-secret.ts';

/** What a verified socket token says. */
export interface SocketClaims extends Claims {
  /** Until when a connection opened with it may be trusted: the end of its access token. Seconds since the epoch. */
  trustedUntil: number;
}

/** Tells who sent a token. Needs public keys only. */
export interface TokenVerifier {
  /** The claims of an access token; `expired` for one that was genuine, `invalid` for everything else. */
  access(token: string, now: Date): Promise<Claims | Refusal>;
  /** The claims of a socket token; refused likewise. */
  socket(token: string, now: Date): Promise<SocketClaims | Refusal>;
}

/** Issues tokens, and verifies them. */
export interface TokenSigner extends TokenVerifier {
  accessToken(claims: Claims, now: Date): Promise<string>;
  /** Lives 5 minutes, and never longer than the connection may be trusted. */
  socketToken(claims: Omit<SocketClaims, 'expiresAt'>, now: Date): Promise<string>;
  /** An opaque token that needs no storage to be recognised: its position, and an HMAC of that. */
  refreshToken(position: RefreshPosition): Promise<string>;
  /** The position in a refresh token that this service issued; undefined for any other text. */
  readRefreshToken(token: string): Promise<RefreshPosition | undefined>;
}

const algorithm = 'ES256';
const issuer = 'switchboard';
const socketTokenLife = 5 * minute;

/** A kind of token has its own `typ` and its own audience, so that none passes for another. */
const kinds = {
  access: { typ: 'at+jwt', audience: 'switchboard/api' },
  socket: { typ: 'socket+jwt', audience: 'switchboard/socket' },
} as const;
type Kind = keyof typeof kinds;

const AccessPayload = z.pipe(
  z.object({ sub: z.string(), org: z.string(), role: z.enum(roles), exp: z.int() }),
  z.transform(
    ({ sub, org, role, exp }): Claims => ({ userId: sub, organizationId: org, role, expiresAt: exp }),
  ),
);

const SocketPayload = z.object({ until: z.int() });

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Gives the keys to verify with; `unknown` when a token named a key that the last ones given did not hold. */
type KeySource = (wanted: 'any' | 'unknown', now: Date) => Promise<KeySet> | KeySet;

/** A verifier with fixed public keys. @throws when `publicKeys` is no JWK Set. */
export function tokenVerifier(publicKeys: JSONWebKeySet): TokenVerifier {
  const keySet = createLocalJWKSet(publicKeys);
  return verifierOf(() => keySet);
}

/** A signer with the keys of the signing secret, which is read again when a token names a key that it does not hold. */
export function tokenSigner(keys: SigningKeys): TokenSigner {
  const keySets = new WeakMap<object, KeySet>();
  const keySource: KeySource = async (wanted, now) => {
    const { publicKeys } = wanted === 'any' ? await keys.current() : await keys.renewed(now);
    const keySet = keySets.get(publicKeys) ?? createLocalJWKSet(publicKeys);
    keySets.set(publicKeys, keySet);
    return keySet;
  };

  async function signed(
    kind: Kind,
    { userId, organizationId, role, expiresAt }: Claims,
    more: JWTPayload,
    now: Date,
  ) {
    const { jwk } = signingKey((await keys.current()).secret, now);
    return new SignJWT({ org: organizationId, role, ...more })
      .setProtectedHeader({ alg: algorithm, typ: kinds[kind].typ, kid: jwk.kid })
      .setIssuer(issuer)
      .setAudience(kinds[kind].audience)
      .setSubject(userId)
      .setIssuedAt(epochSeconds(now))
      .setExpirationTime(expiresAt)
      .sign(jwk);
  }

  return {
    ...verifierOf(keySource),
    accessToken: (claims, now) => signed('access', claims, {}, now),
    socketToken(claims, now) {
      const expiresAt = Math.min(epochSeconds(after(now, socketTokenLife)), claims.trustedUntil);
      return signed('socket', { ...claims, expiresAt }, { until: claims.trustedUntil }, now);
    },
    refreshToken: async (position) => sealed(position, (await keys.current()).secret.refreshKey),
    readRefreshToken: async (token) => unsealed(token, (await keys.current()).secret.refreshKey),
  };
}

function verifierOf(keySource: KeySource): TokenVerifier {
  async function payloadOf(token: string, kind: Kind, now: Date): Promise<JWTPayload | Refusal> {
    const verify = (keySet: KeySet) =>
      jwtVerify(token, keySet, {
        ...kinds[kind],
        issuer,
        algorithms: [algorithm],
        requiredClaims: ['sub', 'iat', 'exp'],
        currentDate: now,
      }).then(
        ({ payload }) => payload,
        (error: unknown) => error,
      );
    let outcome = await verify(await keySource('any', now));
    if (outcome instanceof errors.JWKSNoMatchingKey) {
      outcome = await verify(await keySource('unknown', now));
    }
    if (outcome instanceof Error) {
      return outcome instanceof errors.JWTExpired ? 'expired' : 'invalid';
    }
    return outcome as JWTPayload;
  }

  return {
    async access(token, now) {
      const payload = await payloadOf(token, 'access', now);
      return typeof payload === 'string' ? payload : (AccessPayload.safeParse(payload).data ?? 'invalid');
    },
    async socket(token, now) {
      const payload = await payloadOf(token, 'socket', now);
      if (typeof payload === 'string') {
        return payload;
      }
      const claims = AccessPayload.safeParse(payload).data;
      const trust = SocketPayload.safeParse(payload).data;
      return claims && trust ? { ...claims, trustedUntil: trust.until } : 'invalid';
    },
  };
}

/** The token of an `Authorization: Bearer <token>` header; undefined when there is none of that scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s,]+) *$/i.exec(authorization ?? '')?.[1];
}
