import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { codePoints } from '../code-points.ts';
import { atMost } from '../schemas/fields.ts';
import { type Argon2id, nativeOrNodeArgon2id } from './argon2id.ts';

/** Code points that a password may have. Source: decisions 1, "Input caps". */
const passwordLimits = { min: 8, max: 256 } as const;

/** A password sent at login. Only its maximum length is checked: one that is too short is simply wrong. */
export const SentPassword = z
  .string()
  .check(atMost(passwordLimits.max), z.meta({ format: 'password', maxLength: passwordLimits.max }));

/** A new password, of any characters. Source: NIST SP 800-63B-4, 3.1.1.2. */
export const NewPassword = SentPassword.check(
  z.refine(
    (value) => codePoints(value) >= passwordLimits.min,
    `must have at least ${passwordLimits.min} characters`,
  ),
  z.meta({ format: 'password', minLength: passwordLimits.min, maxLength: passwordLimits.max }),
);

export const newPasswordMeaning =
  '8 to 256 characters. Neither one of the most common passwords, nor made of the email address.';

/** The form in which a password is hashed: keyboards compose the same characters in different ways. */
export const normalForm = (password: string) => password.normalize('NFKC');

/** Hashes and verifies passwords, in their normal form. */
export interface Passwords {
  /** Returns the hash to store, as a PHC string. */
  hash(password: string): Promise<string>;
  /** `outdated`: the password matches, but `hash` uses other parameters now; store a new hash. */
  verify(password: string, phc: string): Promise<{ matches: boolean; outdated: boolean }>;
  /** Takes as long as `verify`, for an account that does not exist, so that the response time reveals nothing. */
  verifyNothing(password: string): Promise<void>;
}

/** The cost of argon2id: KiB of memory, passes over it, lanes. */
interface HashCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's recommendation; about 10 ms on a current x86 core. Source: decisions 3, "Password hash". */
const recommended: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };

/** In bytes. */
const lengths = { salt: 16, tag: 32 } as const;

/** Passwords with argon2id, which `derive` computes. */
export function argon2Passwords(
  cost: HashCost = recommended,
  derive: Argon2id = nativeOrNodeArgon2id(),
): Passwords {
  const tagOf = (
    password: string,
    { memory, passes, parallelism }: HashCost,
    nonce: Buffer,
    tagLength: number,
  ) => {
    const message = Buffer.from(normalForm(password));
    return derive({ message, nonce, memory, passes, parallelism, tagLength });
  };
  const newSalt = () => randomBytes(lengths.salt);
  return {
    async hash(password) {
      const salt = newSalt();
      return phcOf(cost, salt, await tagOf(password, cost, salt, lengths.tag));
    },
    async verify(password, phc) {
      const stored = partsOf(phc);
      const matches = timingSafeEqual(
        await tagOf(password, stored.cost, stored.salt, stored.tag.length),
        stored.tag,
      );
      return { matches, outdated: matches && costText(stored.cost) !== costText(cost) };
    },
    async verifyNothing(password) {
      timingSafeEqual(await tagOf(password, cost, newSalt(), lengths.tag), randomBytes(lengths.tag));
    },
  };
}

const costText = ({ memory, passes, parallelism }: HashCost) => `m=${memory},t=${passes},p=${parallelism}`;

/** Base64 without padding, as in the PHC string format. */
const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function phcOf(cost: HashCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$${costText(cost)}$${base64(salt)}$${base64(tag)}`;
}

function partsOf(phc: string): { cost: HashCost; salt: Buffer; tag: Buffer } {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (parts === null) {
    throw new Error('A stored password hash is not an argon2id PHC string');
  }
  const [, memory, passes, parallelism, salt = '', tag = ''] = parts;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
