import { Session } from 'node:inspector';

/**
 * Gives back what the start has left behind: reading the templates and making the demo data take more than all that runs later, and
 * an idle process would keep it.
 */
export function releaseGarbage(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
