import { Secret } from 'otpauth';
import { type Failure, Refused } from '../../../../shared/kernel/failure.ts';
import type { SecretOpener } from '../../../../shared/kernel/secrets/sealed-secrets.ts';
import { type User, userKey } from '../../../../shared/organizations/user.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../../shared/table/table.ts';
import { throttleKey } from '../credentials.ts';
import { codePolicy } from '../login-policy.ts';
import {
  type Account,
  countAttempt,
  passAction,
  refuseBlocked,
  type Throttle,
  toThrottle,
} from '../throttle.ts';
import { type Factor, factorKey, factorSecretLocation } from './factor.ts';
import { factorNotFound } from './factor-response.ts';
import { isCode, totpStep } from './totp.ts';

/** The stored records of the second factor of a user. */
export interface FactorRecords {
  /** Undefined if the user has not set one up. */
  readonly factor: Stored<Factor, 'identity'> | undefined;
  /** However many addresses wrong codes came from: whoever sends them knows the password already. */
  readonly wrongCodes: Throttle;
}

/** Reads the second factor of a user and its wrong codes, in one request. */
export async function readFactor(
  identity: TableReader<'identity'>,
  { organizationId, userId }: Account,
): Promise<FactorRecords> {
  const key = throttleKey('CODE', userId);
  const [factor, counted] = await identity.readMany<Factor>([factorKey(userId), key]);
  return {
    factor,
    wrongCodes: toThrottle(
      { key, policy: codePolicy, account: { organizationId, userId } },
      counted?.attributes,
    ),
  };
}

interface CodePorts {
  readonly identity: TableWriter<'identity'>;
  readonly secrets: SecretOpener;
  readonly now: Date;
}

/** The result of a right code. */
interface Accepted {
  /** The factor after the use of the code, to be stored in place of the one that was read: so a code works once, also for simultaneous requests. */
  readonly after: Factor;
  /** For the same transaction. */
  readonly action: Action;
}

/**
 * Accepts a code of the user's app or a recovery code.
 * @throws what `wrong` returns, after counting it, for any other text and for a code that was used before; a 429 `Failure` after too many
 * of them.
 */
export async function acceptCode(
  { identity, secrets, now }: CodePorts,
  { user, factor, wrongCodes }: { user: User; factor: Factor; wrongCodes: Throttle },
  code: string,
  wrong: () => Failure,
): Promise<Accepted> {
  refuseBlocked([wrongCodes], now);
  const secret = () => secrets.open(factor.secret, factorSecretLocation(user));
  const after = await afterUse(factor, secret, code, now);
  if (after === undefined) {
    await countAttempt(identity, wrongCodes, now);
    throw wrong();
  }
  return { after, action: passAction(identity, wrongCodes, now) };
}

/** The factor after the use of a code; undefined if the code is wrong or was used before. */
async function afterUse(
  factor: Factor,
  secret: () => Promise<string>,
  code: string,
  now: Date,
): Promise<Factor | undefined> {
  const plain = code.normalize('NFKC').replace(/\s/g, '');
  if (!isCode(plain)) {
    const digest = recoveryDigest(plain);
    const recoveryCodes = factor.recoveryCodes.filter((recoveryCode) => recoveryCode !== digest);
    return recoveryCodes.length < factor.recoveryCodes.length ? { ...factor, recoveryCodes } : undefined;
  }
  const { lastStep = 0 } = factor;
  const step = totpStep(plain, await secret(), now);
  return step !== undefined && step > lastStep ? { ...factor, lastStep: step } : undefined;
}

/** How many recovery codes a user gets. */
const count = 10;

/** Bytes of a recovery code: so many that nobody finds it from its digest. */
const size = 10;

/** New recovery codes: 16 letters and digits each, in groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () =>
    new Secret({ size }).base32.toLowerCase().replace(/.{4}(?=.)/g, '$&-'),
  );
}

/** The digest under which a recovery code is stored. Hyphens and capitals do not matter. */
export function recoveryDigest(code: string): string {
  return toDigest(code.replaceAll('-', '').toLowerCase());
}

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
    readFactor(identity, { organizationId: table.organizationId, userId }),
  ]);
  if (user === undefined || user.data.disabled) {
    throw new Refused('invalid');
  }
  if (factor?.data._id !== factorId) {
    throw factorNotFound();
  }
  return { user, factor, wrongCodes };
}
