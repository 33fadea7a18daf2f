import { day } from '../../../shared/kernel/time.ts';
import type { Key } from '../../../shared/table/key.ts';

export interface ReportedCall {
  callId: string;
}

/** How long reports of a call find it: longer than any call lasts, and than a report that failed waits for a redrive. */
export const reportedFor = 30 * day;

/** The lock by which all reports of a provider about a call are about one record. It has no data but the id. */
export const reportedCallKey = (digest: string): Key<ReportedCall> => ({
  partition: ['REPORTED_CALL', digest],
  sort: ['REPORTED_CALL'],
});
