import { callKey, dueMissedCallText, isDiscarded } from '../../../shared/calls/call.ts';
import type { DueEntry } from '../../../shared/events/due-entry.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { Action } from '../../../shared/table/table.ts';
import { prepareEnding } from './change-call.ts';
import { knownCounterparty } from './counterparty.ts';
import { newChangeIds } from './missed-call-context.ts';
import { commitMissedCall } from './missed-call-writes.ts';

/** The end of a scheduled text: see `MissedCallResult`; or its call was discarded. */
export type ScheduledTextOutcome = 'sent' | 'scheduled' | 'skipped' | 'gone';

/**
 * Sends a text that was scheduled for this opening, once however often it runs. It decides anew, because consent, hours, message, number
 * and daily limit may have changed: the text may also be skipped, or wait for another opening.
 */
export async function sendScheduledText(
  { id, organizationId, at }: DueEntry,
  {
    organizations,
    ...ports
  }: Ports<{ organizations: 'write'; platform: 'write'; identity: 'read'; trialPolicy: 'read' }>,
  { end, ...clock }: ClockAndIds & { readonly end: Action },
): Promise<ScheduledTextOutcome> {
  const table = organizations(organizationId);
  const ids = newChangeIds(clock);
  const { now } = clock;
  return table.optimistically(async () => {
    const record = await table.read(callKey(id));
    const call = record?.data;
    if (call === undefined || isDiscarded(call) || dueMissedCallText(call)?.at !== at) {
      await table.commit([end]);
      return 'gone';
    }
    const { from, providerPhoneNumber } = call;
    const ending = await prepareEnding({ table, ...ports }, contactIdIn(id), from, providerPhoneNumber);
    const { aggregate, settings, earlier, hasSender } = ending;
    const after = await commitMissedCall(
      {
        before: record,
        call: { ...call, updatedAt: timestamp(now) },
        counterparty: aggregate && knownCounterparty(table, aggregate, call.conversationId),
        earlier,
        hasSender,
        due: end,
      },
      { table, ...ports, settings, ids, now },
    );
    return after.missedCall?.outcome ?? 'gone';
  });
}
