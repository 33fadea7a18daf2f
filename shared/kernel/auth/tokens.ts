import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod/mini';
import { type CallingKey, type Claims, roles } from '../caller.ts';
import type { Refusal } from '../failure.ts';
import { after, epochSeconds, minute } from '../time.ts';
import { type RefreshPosition, sealed, unsealed } from './refresh-token.ts';
import { acceptedRefreshKeys, refreshKeyAt, type SigningKeys, signingKey } from './signing-secret.ts';

/** The claims of a verified socket token: of a session or of an API key. */
export interface SocketClaims extends Omit<Claims, 'key'> {
  /** When the connection expires: the end of the access token, in seconds since the epoch. */
  trustedUntil: number;
  key?: SocketKey;
}

/** The API key that a socket token was made by, and which of its secrets. */
export type SocketKey = Pick<CallingKey, 'id' | 'digest'>;

/** The claims of a verified factor token: the user has sent the password, and the second factor is missing. */
export interface FactorClaims extends Claims {
  /** The id of that password, `''` if it was never changed. */
  passwordId: string;
  /** The network that the password came from, if the user has logged in from there before. */
  knownNetwork?: string;
}

/** Verifies tokens. Needs only public keys. */
export interface TokenVerifier {
  /** The claims of an access token; `expired` for a genuine one, `invalid` for everything else. */
  access(token: string, now: Date): Promise<Claims | Refusal>;
  /** The claims of a socket token; refused in the same way, and for a session that may only set up a second factor. */
  socket(token: string, now: Date): Promise<SocketClaims | Refusal>;
  /** The claims of a factor token; refused in the same way. */
  factor(token: string, now: Date): Promise<FactorClaims | Refusal>;
}

export interface TokenSigner extends TokenVerifier {
  accessToken(claims: Claims, now: Date): Promise<string>;
  /** Expires after 5 minutes, or with the connection if that is sooner. */
  socketToken(claims: Omit<SocketClaims, 'expiresAt'>, now: Date): Promise<string>;
  /** Expires after 5 minutes. */
  factorToken(claims: Omit<FactorClaims, 'expiresAt'>, now: Date): Promise<string>;
  /** An opaque token that needs no storage: a position and its HMAC. */
  refreshToken(position: RefreshPosition, now: Date): Promise<string>;
  /** The position in a refresh token of this service; undefined for any other text. */
  readRefreshToken(token: string, now: Date): Promise<RefreshPosition | undefined>;
}

const algorithm = 'ES256';
const issuer = 'switchboard';
const socketTokenLife = 5 * minute;
const factorTokenLife = 5 * minute;

/** Each kind of token has its own `typ` and audience, so that none passes for another. */
const kinds = {
  access: { typ: 'at+jwt', audience: 'switchboard/api' },
  socket: { typ: 'socket+jwt', audience: 'switchboard/socket' },
  factor: { typ: 'factor+jwt', audience: 'switchboard/factor' },
} as const;
type Kind = keyof typeof kinds;

const AccessPayload = z.pipe(
  z.object({
    sub: z.string(),
    org: z.string(),
    role: z.enum(roles),
    exp: z.int(),
    sid: z.optional(z.string()),
    only: z.optional(z.literal('factors')),
  }),
  z.transform(
    ({ sub, org, role, exp, sid, only }): Claims => ({
      userId: sub,
      organizationId: org,
      role,
      expiresAt: exp,
      ...(sid !== undefined && { sessionId: sid }),
      ...(only !== undefined && { limitedTo: only }),
    }),
  ),
);

const SocketPayload = z.object({
  until: z.int(),
  key: z.optional(z.object({ id: z.string(), digest: z.string() })),
});
const FactorPayload = z.object({ pwd: z.string(), net: z.optional(z.string()) });

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Returns the keys to verify with; `unknown` asks for newer ones, because a token named a key that the last ones lack. */
type KeySource = (wanted: 'any' | 'unknown', now: Date) => Promise<KeySet> | KeySet;

/** A verifier with fixed public keys. @throws when `publicKeys` is not a JWK Set. */
export function tokenVerifier(publicKeys: JSONWebKeySet): TokenVerifier {
  const keySet = createLocalJWKSet(publicKeys);
  return verifierOf(() => keySet);
}

/** A signer with the keys of the signing secret. It reads them again when a token names an unknown key. */
export function tokenSigner(keys: SigningKeys): TokenSigner {
  const keySets = new WeakMap<object, KeySet>();
  const keySource: KeySource = async (wanted, now) => {
    const { publicKeys } = wanted === 'any' ? await keys.current(now) : await keys.renewed(now);
    const keySet = keySets.get(publicKeys) ?? createLocalJWKSet(publicKeys);
    keySets.set(publicKeys, keySet);
    return keySet;
  };

  async function signed(
    kind: Kind,
    { userId, organizationId, role, expiresAt, sessionId: sid, limitedTo: only }: Claims,
    more: JWTPayload,
    now: Date,
  ) {
    const { jwk } = signingKey((await keys.current(now)).secret, now);
    const session = { ...(sid !== undefined && { sid }), ...(only !== undefined && { only }) };
    return new SignJWT({ org: organizationId, role, ...session, ...more })
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
      const { key, trustedUntil: until, ...rest } = claims;
      return signed('socket', { ...rest, expiresAt }, { until, ...(key && { key }) }, now);
    },
    factorToken(claims, now) {
      const expiresAt = epochSeconds(after(now, factorTokenLife));
      const { passwordId: pwd, knownNetwork: net } = claims;
      return signed('factor', { ...claims, expiresAt }, { pwd, ...(net !== undefined && { net }) }, now);
    },
    refreshToken: async (position, now) =>
      sealed(position, refreshKeyAt((await keys.current(now)).secret, now)),
    readRefreshToken: async (token, now) =>
      unsealed(token, acceptedRefreshKeys((await keys.current(now)).secret)),
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
      const more = SocketPayload.safeParse(payload).data;
      const isComplete = claims?.sessionId !== undefined || more?.key !== undefined;
      return claims && claims.limitedTo === undefined && more && isComplete
        ? { ...claims, trustedUntil: more.until, ...(more.key && { key: more.key }) }
        : 'invalid';
    },
    async factor(token, now) {
      const payload = await payloadOf(token, 'factor', now);
      if (typeof payload === 'string') {
        return payload;
      }
      const claims = AccessPayload.safeParse(payload).data;
      const more = FactorPayload.safeParse(payload).data;
      return claims && more
        ? { ...claims, passwordId: more.pwd, ...(more.net !== undefined && { knownNetwork: more.net }) }
        : 'invalid';
    },
  };
}

/** The token of an `Authorization: Bearer <token>` header; undefined if it has another scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s,]+) *$/i.exec(authorization ?? '')?.[1];
}
