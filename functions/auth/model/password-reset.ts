import { epochSeconds, hour } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import { invalidToken, isDigest, newOneTimeToken, type OneTimeToken } from './one-time-token.ts';

/** How long a link to choose a new password works, from when its email is sent. */
const resetLife = hour;

/** The user's latest token, as the native attributes `tokenDigest`, `madeFor` and `expiresAt`: a newer one replaces it. */
export const passwordResetKey = (userId: string): IdentityKey<never> => ({
  partition: ['PASSWORD_RESET', userId],
  sort: ['PASSWORD_RESET'],
});

/** Identifies the current password and sessions of a user: a token works only as long as these stay. */
type Access = Pick<User, '_id' | 'passwordId' | 'sessionsNotBefore'>;

const accessOf = ({ passwordId = '', sessionsNotBefore = '' }: Access) =>
  `${passwordId} ${sessionsNotBefore}`;

/** Stores a new token of the user and returns its text. */
export async function issueReset(
  identity: TableWriter<'identity'>,
  user: Access & Pick<User, 'organizationId'>,
  now: Date,
): Promise<string> {
  const { text, digest } = newOneTimeToken(user.organizationId, user._id);
  await identity.update(passwordResetKey(user._id), {
    update: 'SET tokenDigest = :digest, madeFor = :madeFor, expiresAt = :expiresAt',
    values: { digest, madeFor: accessOf(user), expiresAt: epochSeconds(new Date(now.getTime() + resetLife)) },
  });
  return text;
}

/**
 * Whether the token is the user's latest one, not used and not expired. A new password, or the end of all sessions (when somebody signs
 * the user out or disables them), makes it useless: somebody who can read the email must not undo that.
 */
export function isCurrentReset(
  stored: Stored<never, 'identity'> | undefined,
  { digest }: OneTimeToken,
  user: Access,
  now: Date,
): boolean {
  const { tokenDigest, madeFor, expiresAt } = stored?.attributes ?? {};
  return (
    isDigest(digest, tokenDigest) &&
    madeFor === accessOf(user) &&
    typeof expiresAt === 'number' &&
    expiresAt > epochSeconds(now)
  );
}

/** The action that uses up the token. Of simultaneous uses exactly one succeeds. @throws a 400 `Failure` for the others. */
export function consumeResetAction(
  identity: TableWriter<'identity'>,
  { subjectId, digest }: OneTimeToken,
  now: Date,
): Action {
  return identity.updateAction(passwordResetKey(subjectId), {
    update: 'REMOVE tokenDigest',
    when: 'tokenDigest = :digest AND expiresAt > :seconds',
    values: { digest, seconds: epochSeconds(now) },
    otherwise: invalidToken,
  });
}
