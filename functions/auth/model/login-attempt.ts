import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { type Credentials, emailCredentialsKeys } from './credentials.ts';
import { emailDigest } from './email.ts';
import { type LoginThrottles, loginThrottleKeys, loginThrottles } from './login-throttle.ts';
import { refuseBlocked } from './throttle.ts';

/** The stored records about an attempt to log in. */
export interface LoginAttempt {
  /** Undefined if the address has no account. */
  readonly credentials: Stored<Credentials, 'identity'> | undefined;
  readonly throttles: LoginThrottles;
}

/**
 * Reads the credentials of an email address and the throttles of a login from this source address, in one request.
 * @throws a 429 `Failure` while one of the throttles blocks.
 */
export async function readLoginAttempt(
  identity: TableReader<'identity'>,
  email: string,
  sourceIp: string,
  now: Date,
): Promise<LoginAttempt> {
  const digest = emailDigest(email);
  const keys = loginThrottleKeys(digest, sourceIp);
  const credentialsKeys = emailCredentialsKeys(email);
  const read = await identity.readMany<Credentials>([...credentialsKeys, ...keys]);
  const credentials = read.slice(0, credentialsKeys.length).find((record) => record !== undefined);
  const counted = read.slice(credentialsKeys.length);
  const throttles = loginThrottles(
    keys,
    counted.map((record) => record?.attributes),
    credentials?.data,
    now,
  );
  refuseBlocked(throttles.counting, now);
  return { credentials, throttles };
}
