import { constants, getPriority, setPriority } from 'node:os';

/** On top of the host's, as `nice` counts: a thread of people's work gets twice the processor time of one of these where both want it. */
const niceness = 3;

/**
 * Requests to the table that such a thread has under way: the embedded database answers one after the other in the order of their
 * arrival, so that whoever asks next waits for all of them.
 */
const requestsAtOnce = 2;

/** Makes this thread leave the processors, and the database, to those that people wait for. Before it loads its function. */
export function workInBackground(): void {
  if (process.platform === 'linux') {
    // On Linux it is the thread's own; elsewhere it would be that of the whole process.
    setPriority(0, Math.min(getPriority(0) + niceness, constants.priority.PRIORITY_LOW));
  }
  // The thread's own copy of the environment, as the constructor of its worker was given it.
  process.env.TABLE_CONNECTIONS = String(requestsAtOnce);
}
