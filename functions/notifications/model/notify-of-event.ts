import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { StoredEvent } from '../../../shared/live/outbox.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { notifyAsAsked } from './notify-as-asked.ts';
import { notifyOfMessage } from './notify-of-message.ts';

/**
 * Stores the notifications that an event causes, once however often the stream delivers it: the transaction marks their source, under
 * the condition that the source exists and has no mark. A message is a source of its own, and for others it is the event.
 */
export async function notifyOfEvent(
  table: TableWriter,
  event: StoredEvent,
  moment: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  const { notify } = event;
  if (notify === undefined || notify.type === 'message') {
    await (isInbound(event) && notifyOfMessage(table, event, notify?.to, moment));
  } else {
    await notifyAsAsked(table, event, notify, moment);
  }
}

/** What an event that may notify somebody is about, so that events about the same follow each other; undefined for others. */
export function placeOfCause(event: StoredEvent): string | undefined {
  const { notify } = event;
  const isCause = notify === undefined ? isInbound(event) : notify.to?.length !== 0;
  return isCause ? String(event.data.contactId ?? event.id) : undefined;
}

/** Whether a message came in, as far as the event shows: one that does not fit into a frame says only which it is. */
function isInbound({ event, data }: StoredEvent): boolean {
  const { message } = data as { message?: { direction: string } };
  return event === 'message_created' && message?.direction !== 'outbound';
}
