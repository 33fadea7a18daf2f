import { logAction } from '../../../shared/events/log-entry.ts';
import { type RefreshPosition, refreshTokenLife } from '../../../shared/kernel/auth/refresh-token.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { AnyRequest } from '../../../shared/kernel/request.ts';
import { after, epochSeconds, second, timestamp } from '../../../shared/kernel/time.ts';
import type { Device } from '../../../shared/organizations/queued-mail.ts';
import { newSessionId, type Session, sessionKey } from '../../../shared/organizations/session.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Action } from '../../../shared/table/table.ts';
import { endSession, type SessionEnd, type SessionTables } from './session-end.ts';

/** How long after its rotation a token may be sent again, because a client's own requests may race. */
const grace = 10 * second;

/** Characters of a `User-Agent` that are kept: those of any browser, and few enough for a refresh to cost one write unit. */
const userAgentLimit = 200;

type Origin = Pick<AnyRequest, 'headers' | 'sourceIp'>;

/** The device that a request comes from, as its headers describe it. */
export function requestDevice({ headers, sourceIp }: Origin): Device {
  const userAgent = (headers['user-agent'] ?? '').replace(/[^ -~]/g, '').slice(0, userAgentLimit);
  return { ...(userAgent !== '' && { userAgent }), ipAddress: sourceIp };
}

/** A session that begins with this request, and its entry in the log, as the table's actor. */
export function newSession(
  { identity, table }: SessionTables,
  user: User,
  request: Origin,
  { now, newId }: { now: Date; newId(): string },
): { actions: Action[]; position: RefreshPosition } {
  const familyId = newSessionId(user, newId());
  const session: Session = { startedAt: timestamp(now), ...requestDevice(request) };
  const expiresAt = after(now, refreshTokenLife);
  const entity = { type: 'user', id: user._id } as const;
  return {
    actions: [
      identity.add(sessionKey(user._id, familyId), session, { expiresAt }),
      logAction(table, { event: 'user_signed_in', entity }, newId(), now),
    ],
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

/** A response that the exchange stores encrypted, for a client that repeats the request. */
export interface Repeatable<Response> {
  readonly response: Response;
  seal(response: Response): Uint8Array;
  /** Undefined if another request sealed it. */
  unseal(sealed: Uint8Array): Response | undefined;
}

/**
 * Exchanges a refresh token for the next one. One conditional write decides: of simultaneous uses exactly one succeeds. A use
 * that can only be a stolen or replayed token (two or more generations old, or the previous one more than 10 seconds later) ends
 * the session.
 * @returns the response to send; a request that repeats the exchange within 10 seconds gets the first response again.
 * @throws a 401 `Failure` for every other use: `superseded` for the previous token within 10 seconds, one and the same for the
 * rest.
 */
export async function rotate<Response>(
  tables: SessionTables,
  position: RefreshPosition,
  { response, ...repeatable }: Pick<Repeatable<Response>, 'response'> & Partial<Repeatable<Response>>,
  end: SessionEnd,
): Promise<Response> {
  const { identity } = tables;
  const { now } = end;
  const { userId, familyId, generation } = position;
  const sealed = repeatable.seal?.(response);
  // A session starts without the attribute: that is generation 1.
  const isCurrent = generation === 1 ? 'attribute_not_exists(generation)' : 'generation = :generation';
  try {
    await identity.update(sessionKey(userId, familyId), {
      update: `SET generation = :next, rotatedAt = :now, expiresAt = :expiresAt${sealed ? ', answer = :sealed' : ' REMOVE answer'}`,
      when: `attribute_exists(pk) AND expiresAt > :seconds AND ${isCurrent}`,
      values: {
        next: nextPosition(position).generation,
        now: now.getTime(),
        expiresAt: epochSeconds(after(now, refreshTokenLife)),
        seconds: epochSeconds(now),
        ...(generation === 1 ? {} : { generation }),
        ...(sealed && { sealed }),
      },
      otherwise: (existing) => new NotCurrent(existing),
    });
    return response;
  } catch (error) {
    if (!(error instanceof NotCurrent)) {
      throw error;
    }
    const use = lateUse(generation, error.existing, now);
    if (use === 'superseded') {
      const earlier = error.existing?.answer;
      const repeated = earlier instanceof Uint8Array ? repeatable.unseal?.(earlier) : undefined;
      if (repeated === undefined) {
        throw superseded();
      }
      return repeated;
    }
    if (use === 'replay') {
      await endSession(tables, position, end);
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

/** Decides what the use of an older token means; undefined if the session has ended or the token is not older. */
function lateUse(
  generation: number,
  existing: Readonly<Record<string, unknown>> | undefined,
  now: Date,
): 'superseded' | 'replay' | undefined {
  const { generation: current = 1, rotatedAt } = existing ?? {};
  if (typeof current !== 'number' || typeof rotatedAt !== 'number') {
    return undefined;
  }
  const age = current - generation;
  if (age < 1) {
    return undefined;
  }
  return age === 1 && now.getTime() - rotatedAt <= grace ? 'superseded' : 'replay';
}
