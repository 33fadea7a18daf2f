import type { StoredEvent } from '../../../shared/events/outbox.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { notifyAsAsked } from './notify-as-asked.ts';
import { notifyOfMessage } from './notify-of-message.ts';

/**
 * Stores the notifications that an event causes, once however often the stream delivers it: the transaction marks their source, and
 * requires that the source exists and has no mark. The source is the message, or else the event itself.
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

/** The subject of an event that may notify somebody: events about the same thing are handled in order. Undefined for other events. */
export function subjectOfCause(event: StoredEvent): string | undefined {
  const { notify } = event;
  const isCause = notify === undefined ? isInbound(event) : notify.to?.length !== 0;
  return isCause ? String(event.data.contactId ?? event.id) : undefined;
}

/** Whether a message came in, as far as the event shows: an event too large for a frame has only the message's id. */
function isInbound({ event, data }: StoredEvent): boolean {
  const { message } = data as { message?: { direction: string } };
  return event === 'message_created' && message?.direction !== 'outbound';
}
