import { type Call, callKey, isDiscarded } from '../../../shared/calls/call.ts';
import { listedActions } from '../../../shared/calls/call-entries.ts';
import { withEventActions } from '../../../shared/calls/call-event-actions.ts';
import { callEvents } from '../../../shared/calls/call-events.ts';
import { missedCallTextRange } from '../../../shared/calls/missed-call.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Message } from '../../../shared/conversations/conversation.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/**
 * For the text after a missed call: the actions that record the deletion with the call, and that let the next missed call have a text.
 * None for any other message.
 */
export async function prepareCallTextDeletion(
  table: TableWriter,
  { callId, contactId, _id }: Message,
  contact: StoredContact,
  clock: ClockAndIds,
): Promise<Action[]> {
  if (callId === undefined) {
    return [];
  }
  const [record, texts] = await Promise.all([
    table.read(callKey(callId)),
    table.list(missedCallTextRange(contactId)),
  ]);
  if (record === undefined || isDiscarded(record.data) || record.data.missedCall?.messageId !== _id) {
    return [];
  }
  const before = record.data;
  const after: Call = {
    ...before,
    missedCall: { outcome: 'skipped', reason: 'deleted' },
    updatedAt: timestamp(clock.now),
  };
  const { call, actions } = withEventActions(table, before, after, callEvents(before, after, contact), clock);
  return [
    table.replace(record, call),
    ...listedActions(table, call, true),
    ...texts
      .filter(({ data }) => data.callId === callId)
      .map(({ key, version }) => table.delete(key, { ifVersion: version })),
    ...actions,
  ];
}
