import { once } from 'node:events';
import { WebSocket } from 'ws';
import { timeout } from '../harness/eventually.ts';
import { type Frame, readFrame } from './frame.ts';

/**
 * A client of the WebSocket API that keeps what it receives, and holds every frame against the published description. Like any client, it
 * drops an event that it has received already: events are delivered at least once. Source: decisions 11.
 */
export interface SocketClient {
  /** Everything received so far, each event once, oldest first. */
  readonly frames: readonly Frame[];
  /** The first frame, received already or to come, of which this holds. Rejects when none comes in time. */
  frame(holds: (frame: Frame) => boolean): Promise<Frame>;
  /** Sends a frame, or any text. */
  send(frame: Record<string, unknown> | string): void;
  /** Resolves with the closing code when the connection has ended, whoever ended it. */
  readonly ended: Promise<number>;
  /** Ends the connection in an orderly way. */
  close(): Promise<void>;
  /** Drops the connection as a lost network does: without a word. */
  drop(): void;
}

/** Opens a connection. Rejects with the status that refused the handshake in the message. */
export async function openSocket(socketUrl: string, token: string | undefined): Promise<SocketClient> {
  const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
  const socket = new WebSocket(`${socketUrl}${query}`);
  const frames: Frame[] = [];
  const watchers = new Set<() => void>();
  let unpublished: unknown;
  socket.on('message', (text) => {
    try {
      const frame = readFrame(String(text));
      if (!frames.some(({ id }) => id === frame.id)) {
        frames.push(frame);
      }
    } catch (error) {
      unpublished = error;
    }
    for (const look of watchers) {
      look();
    }
  });
  const ended = new Promise<number>((resolve) => socket.once('close', resolve));
  await once(socket, 'open');

  return {
    frames,
    frame(holds) {
      const { promise, resolve, reject } = Promise.withResolvers<Frame>();
      const look = () => {
        const found = frames.find(holds);
        if (unpublished !== undefined) {
          reject(unpublished);
        } else if (found !== undefined) {
          resolve(found);
        }
      };
      const timer = setTimeout(
        () => reject(new Error(`The frame did not come. Received: ${JSON.stringify(frames)}`)),
        timeout,
      );
      watchers.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        watchers.delete(look);
      });
    },
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    ended,
    async close() {
      socket.close();
      await ended;
      if (unpublished !== undefined) {
        throw unpublished;
      }
    },
    drop: () => socket.terminate(),
  };
}
