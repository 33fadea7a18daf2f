import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may wait for their turn. */
const maxWaiting = 100;

/**
 * Handles the requests that a client sends ahead on one connection one after the other, each once the response to the previous one is on
 * its way. Otherwise a client that reads no responses could have thousands of them created and kept. A client that sends too many ahead
 * is disconnected.
 */
export class PipelinedRequests {
  /** The waiting requests of each connection that has a request under way. */
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
