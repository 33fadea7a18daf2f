import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for their turn. */
const maxWaiting = 100;

/**
 * Lets the requests that a client sends ahead on one connection be handled one after the other, each once the response to the one
 * before is on its way: otherwise a client that reads no responses could have thousands of them made and kept for it. A client that
 * sends too many ahead is cut off.
 */
export class PipelinedRequests {
  /** What waits, by connections with a request under way. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  take({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const begin = () => {
      response.once('close', () => this.#next(socket));
      handle();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      begin();
    } else if (waiting.length < maxWaiting) {
      waiting.push(begin);
    } else {
      socket.destroy();
    }
  }

  #next(socket: Socket): void {
    const begin = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift();
    if (begin === undefined) {
      this.#waiting.delete(socket);
    } else {
      begin();
    }
  }
}
