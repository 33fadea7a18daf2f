import type { SentRequest } from '../../../shared/kernel/request.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { eventKeyOf } from '../../../shared/live/outbox.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** What an earlier try of a lead has done. */
interface EarlierTry {
  /** Whether the lead has been counted. */
  readonly isCounted: boolean;
  /** Actions by which the next try sees that this one has counted the lead. */
  readonly actions: readonly Action[];
  /** The same for a first try that leaves nothing else behind: no contact, no event, no delivery. */
  readonly trace: readonly Action[];
}

/** Longer than a kept request can wait, in its queue and in the dead-letter queue. */
const longestWait = 30 * day;

/** Marks a kept lead as counted: its queue may deliver it more than once. */
export const countedLeadKey = (digest: string): Key<Record<string, never>> => ({
  partition: ['COUNTED_LEAD', digest],
  sort: ['COUNTED_LEAD'],
});

/**
 * Looks for an earlier try of a lead; for a lead that was never kept, it reads nothing. The first try may have succeeded although its
 * response was lost: then the number belongs to the contact that it created, or its event or its trace is stored.
 */
export async function earlierTry(
  table: TableWriter,
  { earlier, requestId, receivedAt }: SentRequest,
  contactId: string | undefined,
): Promise<EarlierTry> {
  const key = countedLeadKey(digestOf(requestId));
  const trace = [table.add(key, {}, { expiresAt: after(receivedAt, longestWait) })];
  if (earlier === undefined) {
    return { isCounted: false, actions: [], trace };
  }
  const traces = await table.readMany<unknown>([key, ...earlier.ids.map(eventKeyOf)]);
  const isCounted =
    traces.some((found) => found !== undefined) ||
    (contactId !== undefined && earlier.ids.includes(contactId));
  return {
    isCounted,
    actions: isCounted ? [] : trace,
    trace: [],
  };
}
