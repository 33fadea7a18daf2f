import { constants, getPriority, setPriority } from 'node:os';

/** Added to the host's `nice` value: a thread that people wait for then gets twice the processor time of one in the background. */
const niceness = 3;

/**
 * How many requests to the table a background thread has under way. The embedded database handles requests one after the other in the order
 * of their arrival, so the next one waits for all of them.
 */
const requestsAtOnce = 2;

/** Makes this thread leave processors and database to threads that people wait for. To be called before it loads its function. */
export function workInBackground(): void {
  if (process.platform === 'linux') {
    // On Linux the priority is the thread's own; elsewhere it would be that of the whole process.
    setPriority(0, Math.min(getPriority(0) + niceness, constants.priority.PRIORITY_LOW));
  }
  // This is the thread's own copy of the environment, which its worker's constructor got.
  process.env.TABLE_CONNECTIONS = String(requestsAtOnce);
}
