import { constants, getPriority, setPriority } from 'node:os';

/** On top of the host's, as `nice` counts: a thread of people's work gets twice the processor time of one of these where both want it. */
const niceness = 3;

/**
 * Requests to one server that such a thread has under way. It is for the embedded database, which answers one after the other in the order
 * of their arrival, so that whoever asks next waits for all of them; it also applies to queues, objects and mail, which can wait.
 */
const requestsAtOnce = 2;

/** Makes this thread leave the processors, and the database, to those that people wait for. */
export function workInBackground(): void {
  if (process.platform === 'linux') {
    // On Linux it is the thread's own; elsewhere it would be that of the whole process.
    setPriority(0, Math.min(getPriority(0) + niceness, constants.priority.PRIORITY_LOW));
  }
  const http = process.getBuiltinModule('node:http');
  const { Agent } = http;
  // What asks for connections of its own, as the table's client does, gets these.
  http.Agent = class extends Agent {
    constructor(options: ConstructorParameters<typeof Agent>[0] = {}) {
      super({ ...options, maxSockets: Math.min(options.maxSockets ?? requestsAtOnce, requestsAtOnce) });
    }
  };
}
