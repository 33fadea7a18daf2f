import type { Key } from '../../../shared/table/key.ts';

export interface ReportedCall {
  callId: string;
}

/** Finds the call by the provider's id, so that all reports about it change one record. It holds nothing but the call's id. */
export const reportedCallKey = (digest: string): Key<ReportedCall> => ({
  partition: ['REPORTED_CALL', digest],
  sort: ['REPORTED_CALL'],
});
