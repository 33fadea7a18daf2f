import type { RefreshPosition } from '../../../shared/auth/refresh-token.ts';
import { type Session, sessionKey } from '../../../shared/auth/session.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { after, day, epochSeconds, second, timestamp } from '../../../shared/kernel/time.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';

/** How long a refresh token is valid. Source: decisions 3, "Refresh token". */
const refreshTokenLife = 30 * day;

/** How long after its rotation a token may be sent again, because a client's own requests may race. */
const grace = 10 * second;

export function newSession(
  identity: TableWriter<'identity'>,
  user: { _id: string; organizationId: string },
  { now, newId }: { now: Date; newId(): string },
): { step: Step; position: RefreshPosition } {
  const familyId = newId();
  const session: Session = {
    userId: user._id,
    organizationId: user.organizationId,
    startedAt: timestamp(now),
  };
  const expiresAt = after(now, refreshTokenLife);
  return {
    step: identity.add(sessionKey(familyId), session, { expiresAt }),
    position: { familyId, generation: 1, userId: user._id, organizationId: user.organizationId },
  };
}

/** One 401 for every cause but a lost race, so that it shows nothing about the token. */
export function refreshRefused(): Failure {
  return new Failure('TOKEN_EXPIRED', 'The refresh token is invalid, expired or already used. Log in again.');
}

/**
 * The 401 for a request that lost a race within its session. The session continues with the winner's tokens. Source: decisions 2,
 * "refresh token expired, unknown, …".
 */
export function superseded(): Failure {
  return new Failure(
    'TOKEN_EXPIRED',
    'Another request of this session, perhaps from another tab, has just used this refresh token. Use the tokens it received.',
    { details: { reason: 'superseded' } },
  );
}

/** The position of the next refresh token. */
export function nextPosition(position: RefreshPosition): RefreshPosition {
  return { ...position, generation: position.generation + 1 };
}

/**
 * Exchanges a refresh token for the next one. One conditional write decides: of simultaneous uses exactly one succeeds. A use
 * that can only be a stolen or replayed token (two or more generations old, or the previous one more than 10 seconds later) ends
 * the session.
 * @throws a 401 `Failure` for every other use: `superseded` for the previous token within 10 seconds, one and the same for the
 * rest.
 */
export async function rotate(
  identity: TableWriter<'identity'>,
  position: RefreshPosition,
  now: Date,
): Promise<void> {
  const { familyId, generation } = position;
  // A session starts without the attribute: that is generation 1.
  const isCurrent = generation === 1 ? 'attribute_not_exists(generation)' : 'generation = :generation';
  try {
    await identity.update(sessionKey(familyId), {
      update: 'SET generation = :next, rotatedAt = :now, expiresAt = :expiresAt',
      when: `attribute_exists(pk) AND attribute_not_exists(revoked) AND expiresAt > :seconds AND ${isCurrent}`,
      values: {
        next: nextPosition(position).generation,
        now: now.getTime(),
        expiresAt: epochSeconds(after(now, refreshTokenLife)),
        seconds: epochSeconds(now),
        ...(generation === 1 ? {} : { generation }),
      },
      otherwise: (existing) => new NotCurrent(existing),
    });
  } catch (error) {
    if (!(error instanceof NotCurrent)) {
      throw error;
    }
    const use = lateUse(generation, error.existing, now);
    if (use === 'superseded') {
      throw superseded();
    }
    if (use === 'replay') {
      await revoke(identity, familyId);
    }
    throw refreshRefused();
  }
}

/** The session has another generation or has ended; `existing` is its item. */
class NotCurrent extends Error {
  readonly existing: Readonly<Record<string, unknown>> | undefined;

  constructor(existing: Readonly<Record<string, unknown>> | undefined) {
    super('The refresh token is not the current one of its session');
    this.existing = existing;
  }
}

/** What the use of an older token means; undefined if the session has ended or the token is not older. */
function lateUse(
  generation: number,
  existing: Readonly<Record<string, unknown>> | undefined,
  now: Date,
): 'superseded' | 'replay' | undefined {
  const { generation: current = 1, rotatedAt, revoked } = existing ?? {};
  if (revoked !== undefined || typeof current !== 'number' || typeof rotatedAt !== 'number') {
    return undefined;
  }
  const age = current - generation;
  if (age < 1) {
    return undefined;
  }
  return age === 1 && now.getTime() - rotatedAt <= grace ? 'superseded' : 'replay';
}

/** Ends a session: its refresh tokens stop working. Does nothing if the session is gone. */
export async function revoke(identity: TableWriter<'identity'>, familyId: string): Promise<void> {
  try {
    await identity.update(sessionKey(familyId), {
      update: 'SET revoked = :yes',
      when: 'attribute_exists(pk)',
      values: { yes: true },
      otherwise: () => new AlreadyGone(),
    });
  } catch (error) {
    if (!(error instanceof AlreadyGone)) {
      throw error;
    }
  }
}

class AlreadyGone extends Error {}
