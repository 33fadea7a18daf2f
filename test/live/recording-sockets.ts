import type { Delivery, Sockets } from '../../shared/kernel/providers/sockets.ts';
import { type Frame, readFrame } from './frame.ts';

/** Sockets that remember what they were given, and fail as told. */
export interface RecordingSockets extends Sockets {
  /** The frames that a connection received, oldest first. */
  received(connectionId: string): Frame[];
  readonly closed: readonly string[];
  /** Sets the outcome of sending over a connection from now on; `delivered` for others. */
  behave(connectionId: string, behaviour: Delivery | 'fails'): void;
  /** Sets the outcome of closing a connection from now on; `closed` for others. */
  behaveWhenClosed(connectionId: string, behaviour: 'closed' | 'gone' | 'fails'): void;
  /** The number of attempts to send over a connection. */
  attempts(connectionId: string): number;
  /** The number of attempts over all connections. */
  readonly posts: number;
}

export function recordingSockets(): RecordingSockets {
  const frames: { connectionId: string; frame: Frame }[] = [];
  const attempts: string[] = [];
  const behaviours = new Map<string, Delivery | 'fails'>();
  const closings = new Map<string, 'closed' | 'gone' | 'fails'>();
  const closed: string[] = [];
  return {
    async send(connectionId, frame) {
      attempts.push(connectionId);
      const behaviour = behaviours.get(connectionId) ?? 'delivered';
      if (behaviour === 'fails') {
        throw new Error('The connection cannot be reached');
      }
      if (behaviour === 'delivered') {
        frames.push({ connectionId, frame: readFrame(frame) });
      }
      return behaviour;
    },
    async close(connectionId) {
      const behaviour = closings.get(connectionId) ?? 'closed';
      if (behaviour === 'fails') {
        throw new Error('The connection cannot be closed');
      }
      closed.push(connectionId);
      return behaviour;
    },
    received: (connectionId) =>
      frames.filter((frame) => frame.connectionId === connectionId).map(({ frame }) => frame),
    closed,
    behave: (connectionId, behaviour) => void behaviours.set(connectionId, behaviour),
    behaveWhenClosed: (connectionId, behaviour) => void closings.set(connectionId, behaviour),
    get posts() {
      return attempts.length;
    },
    attempts: (connectionId) => attempts.filter((attempt) => attempt === connectionId).length,
  };
}
