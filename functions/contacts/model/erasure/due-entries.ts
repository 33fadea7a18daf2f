import { type Call, dueMissedCallText } from '../../../../shared/calls/call.ts';
import type { Message } from '../../../../shared/conversations/conversation.ts';
import type { DueEntry } from '../../../../shared/events/due-entry.ts';
import { unpacked } from '../../../../shared/kernel/packing.ts';
import { dueMessage } from '../../../../shared/messages/scheduled-message.ts';
import { dueReminder, type Reminder } from '../../../../shared/notes/reminder.ts';
import { keyParts } from '../../../../shared/table/key.ts';
import type { RawRow } from '../../../../shared/table/table.ts';

type DueOf = (organizationId: string, data: NonNullable<RawRow['data']>) => DueEntry | undefined;

/** The due entries of each kind of row. */
const byKind: Readonly<Record<string, DueOf>> = {
  MESSAGE: (organizationId, data) => dueMessage(organizationId, unpacked<Message>(data)),
  REMINDER: (organizationId, data) => dueReminder(organizationId, unpacked<Reminder>(data)),
  VOICECALL: (_, data) => dueMissedCallText(unpacked<Call>(data)),
};

/** The entries that are due later because of a row in the partition of a contact. */
export function dueEntriesIn(organizationId: string, { sk, data }: RawRow): DueEntry[] {
  const [kind = ''] = keyParts(sk);
  const entry = data === undefined ? undefined : byKind[kind]?.(organizationId, data);
  return entry === undefined ? [] : [entry];
}
