import {
  type Call,
  callEntryKey,
  callKey,
  isDiscarded,
  type MissedCallResult,
} from '../../../../shared/calls/call.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';

/**
 * Takes the contact's number and the recordings from a call. The rest stays: figures about calls must not change when a contact is
 * deleted. Does nothing the second time.
 */
export async function eraseNumber(table: TableWriter, callId: string): Promise<void> {
  await table.optimistically(async () => {
    const record = await table.read(callKey(callId));
    if (record === undefined || isDiscarded(record.data)) {
      return;
    }
    const call = withoutNumber(record.data);
    await table.commit([
      table.replace(record, call),
      table.put(callEntryKey(['all'], callId), call),
      table.put(callEntryKey(['user', call.userId], callId), call),
    ]);
  });
}

function withoutNumber({ from, to, missedCall, ...call }: Call): Call {
  return {
    ...call,
    ...definedOnly(call.direction === 'inbound' ? { to } : { from }),
    recordings: [],
    // The text that was scheduled for the number has been deleted.
    ...definedOnly({ missedCall: missedCall?.outcome === 'scheduled' ? noNumber : missedCall }),
  };
}

const noNumber: MissedCallResult = { outcome: 'skipped', reason: 'no_number' };
