import { ApiError } from './api-error.ts';
import { pause } from './send.ts';
import type { ClientSocket, ClientSocketClass, EventStream, FollowOptions } from './types.ts';

export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly at: string;
  readonly data: object;
}

export interface Door {
  readonly WebSocket: ClientSocketClass;
  /** A new token, and the address to open with it. */
  socketToken(signal: AbortSignal): Promise<{ socketToken: string; socketUrl: string }>;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The service closes a connection without a frame after 10 minutes. */
const pingEvery = 4 * 60_000;

/** Every so many pings are a new token: the service trusts a connection for an hour. */
const pingsPerToken = 6;

/** The ids by which repetitions are known; a replay has at most 5,000 events. */
const mostKnown = 20_000;

const longestPause = 30_000;

/** Frames in reply to frames, which are not events. A stream passes only `resync_required` on. */
const replies = new Set(['pong', 'authenticated', 'resumed', 'resync_required']);

/** Follows the live events over one connection after another, from the event where the one before ended. */
export function followEvents(door: Door, { since, signal }: FollowOptions): EventStream<Frame> {
  const ending = new AbortController();
  const frames: Frame[] = [];
  const known = new Set<string>();
  let failure: unknown;
  let look = () => {};
  /** The newest event; and the one before the connection, until all that was missed has come. */
  let newest = since || undefined;
  let missedSince = newest;
  let hasConnected = false;
  let tellOpened = () => {};
  let tellFailed = (_: unknown) => {};
  const opened = new Promise<void>((resolve, reject) => {
    tellOpened = resolve;
    tellFailed = reject;
  });
  // Who only iterates gets the failure there.
  opened.catch(() => {});

  function pass(frame: Frame): void {
    frames.push(frame);
    look();
  }

  function receive(frame: Frame): void {
    if (replies.has(frame.event)) {
      if (frame.event === 'resync_required') {
        // An id that is too old is so again after the next break.
        newest = newest === missedSince ? undefined : newest;
        pass(frame);
      }
      if (frame.event !== 'pong' && frame.event !== 'authenticated') {
        missedSince = undefined;
      }
      return;
    }
    newest = newest === undefined || newest < frame.id ? frame.id : newest;
    if (!known.has(frame.id)) {
      known.add(frame.id);
      if (known.size > mostKnown) {
        const [oldest = ''] = known;
        known.delete(oldest);
      }
      pass(frame);
    }
  }

  /** Asks for what was missed. Before the first event there is nothing from where to ask: then all must be loaded again. */
  function resume(send: (frame: object) => void): void {
    missedSince ??= newest;
    if (missedSince !== undefined) {
      send({ action: 'resume', since: missedSince });
    } else if (hasConnected) {
      const message = 'The connection broke before its first event. Load everything again.';
      pass({ id: '', event: 'resync_required', at: new Date().toISOString(), data: { message } });
    }
    hasConnected = true;
  }

  /** Resolves when the connection is over, with whether it was of use. */
  async function connectOnce(): Promise<boolean> {
    const over = new AbortController();
    const end = () => over.abort();
    const { socketToken, socketUrl } = await door.socketToken(ending.signal);
    const socket = new door.WebSocket(`${socketUrl}?token=${encodeURIComponent(socketToken)}`);
    ending.signal.addEventListener('abort', end);
    let isUseful = false;
    let isQuiet = false;
    socket.onerror = socket.onclose = end;
    socket.onopen = () => {
      tellOpened();
      resume((frame) => socket.send(JSON.stringify(frame)));
    };
    socket.onmessage = ({ data }: { data: unknown }) => {
      const frame: Frame = JSON.parse(String(data));
      isQuiet = false;
      // The service, or the gateway in its place, has refused a frame: another connection begins anew.
      if (frame.event === undefined || frame.event === 'error') {
        end();
      } else {
        isUseful = true;
        receive(frame);
      }
    };
    try {
      for (let ping = 1; !ending.signal.aborted; ping += 1) {
        await Promise.race([aborted(over.signal), door.wait(pingEvery, over.signal)]);
        // Nothing came since the last ping: the connection is dead, and nobody has noticed.
        if (over.signal.aborted || isQuiet) {
          return isUseful;
        }
        isQuiet = true;
        await keepOpen(socket, ping, over.signal);
      }
      return isUseful;
    } finally {
      ending.signal.removeEventListener('abort', end);
      end();
      socket.onmessage = null;
      socket.close();
    }
  }

  async function keepOpen(socket: ClientSocket, ping: number, signal: AbortSignal): Promise<void> {
    const frame =
      ping % pingsPerToken === 0
        ? { action: 'authenticate', token: (await door.socketToken(signal)).socketToken }
        : { action: 'ping' };
    if (!signal.aborted) {
      socket.send(JSON.stringify(frame));
    }
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !ending.signal.aborted; ) {
      if (failures > 0) {
        await door.wait(pause(Math.min(500 * 2 ** failures, longestPause)), ending.signal);
      }
      const isUseful = await connectOnce().catch((error) => {
        // Who may not connect will not by trying again.
        if (error instanceof ApiError && [400, 401, 403, 404].includes(error.status)) {
          throw error;
        }
        return false;
      });
      failures = isUseful ? 0 : failures + 1;
    }
  }

  function close(): void {
    ending.abort();
    look();
  }
  signal?.addEventListener('abort', close);
  if (signal?.aborted) {
    close();
  }
  follow()
    .catch((error) => {
      failure = error;
      tellFailed(error);
    })
    .finally(close);

  return {
    opened,
    close,
    async *[Symbol.asyncIterator]() {
      try {
        while (true) {
          for (let frame = frames.shift(); frame !== undefined; frame = frames.shift()) {
            yield frame;
          }
          if (ending.signal.aborted) {
            if (failure !== undefined) {
              throw failure;
            }
            return;
          }
          await new Promise<void>((resolve) => {
            look = resolve;
          });
        }
      } finally {
        close();
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) {
      resolve();
    }
  });
}
