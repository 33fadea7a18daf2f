import { Session } from 'node:inspector';

/**
 * Frees the memory that the start has used: reading the templates and creating the demo data take more than all later work, and an
 * idle process would not collect it.
 */
export function releaseGarbage(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
