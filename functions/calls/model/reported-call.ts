import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { PlatformKey, PlatformRange } from '../../../shared/table/key.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import type { IncomingCall } from './incoming-call.ts';

export interface ReportedCall {
  callId: string;
}

/**
 * Finds the call by the provider's id, so that all reports about it change one record, which holds nothing but the call's id. By the
 * digest of that id, so that it can be read before the organization is known; another organization, or another provider of the same one,
 * may have a call with the same id.
 */
export const reportedCallKey = (
  digest: string,
  organizationId: string,
  providerDigest: string,
): PlatformKey<ReportedCall> => ({
  partition: ['REPORTED_CALL', digest],
  sort: [organizationId, providerDigest],
});

const reportedCallRange = (digest: string): PlatformRange<ReportedCall> => ({
  partition: ['REPORTED_CALL', digest],
});

type Owner = Pick<NumberOwner, 'organizationId' | 'provider'>;

/** The key of the call of a report, for the owner of its number. */
export const reportedBy = ({ organizationId, provider }: Owner, { sid }: IncomingCall) =>
  reportedCallKey(toDigest(sid), organizationId, toDigest(provider));

/** All calls with the provider's id of a report. */
export type ReportedCalls = readonly Stored<ReportedCall, 'platform'>[];

/** Reads them: one read unit. */
export function readReportedCalls(
  platform: TableReader<'platform'>,
  { sid }: IncomingCall,
): Promise<ReportedCalls> {
  return platform.list(reportedCallRange(toDigest(sid)));
}

/** The id of the call that was reported for this owner of its number; undefined for a new one. */
export function reportedFor(calls: ReportedCalls, { organizationId, provider }: Owner): string | undefined {
  const providerDigest = toDigest(provider);
  return calls.find(({ key: { sort } }) => sort[0] === organizationId && sort[1] === providerDigest)?.data
    .callId;
}
