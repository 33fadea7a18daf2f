import type { Call } from '../../../shared/calls/call.ts';
import type { StoredApplication } from '../../../shared/contact-aggregate/application.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { owns } from '../../../shared/contacts/holdings.ts';
import { contactWithoutTimelineRange } from '../../../shared/contacts/timeline-change.ts';
import type { Conversation, Message } from '../../../shared/conversations/conversation.ts';
import type { ReadPosition } from '../../../shared/conversations/read-position.ts';
import type { TrainingSnapshot } from '../../../shared/conversations/snapshot.ts';
import { unpacked } from '../../../shared/kernel/packing.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import type { Reminder } from '../../../shared/notes/reminder.ts';
import { keyParts } from '../../../shared/table/key.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { RunRecord, StepRecord } from '../../../shared/workflows/run-response.ts';

/** A contact with all its children, oldest first; messages as they stand in their conversations. */
export interface SeparationData {
  contact: StoredContact | undefined;
  conversations: Conversation[];
  applications: StoredApplication[];
  notes: StoredNote[];
  reminders: Reminder[];
  trainingSnapshots: TrainingSnapshot[];
  calls: Call[];
  messages: Message[];
  workflowRuns: RunRecord[];
  /** The steps of each run, by its id. */
  workflowSteps: Map<string, StepRecord[]>;
  /** The fields of the event that started each run, by its id. */
  workflowEvents: Map<string, Readonly<Record<string, unknown>>>;
  /** How far this user has read each conversation, by its id. */
  positions: Map<string, ReadPosition>;
}

/** Reads all partitions of a contact: each with one query, and a page for each MB. */
export async function readSeparationData(
  table: TableReader,
  contactId: string,
  userId: string,
): Promise<SeparationData> {
  const found: SeparationData = {
    contact: undefined,
    conversations: [],
    applications: [],
    notes: [],
    reminders: [],
    trainingSnapshots: [],
    calls: [],
    messages: [],
    workflowRuns: [],
    workflowSteps: new Map(),
    workflowEvents: new Map(),
    positions: new Map(),
  };
  await readPartition(table, contactId, userId, found);
  const { contact } = found;
  for (const partition of contact?.holdings?.partitions ?? []) {
    await readPartition(table, partition, userId, found);
  }
  if (contact?.holdings !== undefined) {
    keepOwn(found, contact);
  }
  const { conversations, applications, notes, reminders, trainingSnapshots, calls } = found;
  for (const children of [conversations, applications, notes, reminders, trainingSnapshots, calls]) {
    // The table sorts them by their ids, whose times may differ from when they were created, as those of demo records do.
    children.sort((child, other) => Date.parse(child.createdAt) - Date.parse(other.createdAt));
  }
  return found;
}

async function readPartition(
  table: TableReader,
  partition: string,
  userId: string,
  found: SeparationData,
): Promise<void> {
  const kinds: Readonly<Record<string, unknown[]>> = {
    CONVERSATION: found.conversations,
    APPLICATION: found.applications,
    NOTE: found.notes,
    REMINDER: found.reminders,
    SNAPSHOT: found.trainingSnapshots,
    VOICECALL: found.calls,
    MESSAGE: found.messages,
    RUN: found.workflowRuns,
  };
  for await (const rows of table.rows(contactWithoutTimelineRange(partition), { consistent: true })) {
    for (const { sk, data } of rows) {
      const [kind = '', reader = '', read = ''] = keyParts(sk);
      if (data !== undefined && kind === 'CONTACT') {
        found.contact ??= unpacked(data);
      } else if (data !== undefined && kind === 'READ' && reader === userId) {
        found.positions.set(read, unpacked(data));
      } else if (data !== undefined && kind === 'STEP') {
        const steps = found.workflowSteps.get(reader) ?? [];
        steps.push(unpacked(data));
        found.workflowSteps.set(reader, steps);
      } else if (data !== undefined && kind === 'RUN_EVENT') {
        found.workflowEvents.set(reader, unpacked(data));
      } else if (data !== undefined) {
        kinds[kind]?.push(unpacked(data));
      }
    }
  }
}

/** Leaves out what is another contact's by now, and names the contact that the rest is of. */
function keepOwn(found: SeparationData, contact: StoredContact): void {
  const own = <Data extends { contactId: string }>(records: readonly Data[]): Data[] =>
    records
      .filter(({ contactId }) => owns(contact, contactId))
      .map((record) => ({ ...record, contactId: contact._id }));
  const conversations = own(found.conversations);
  const ids = new Set(conversations.map(({ _id }) => _id));
  Object.assign(found, {
    conversations,
    applications: own(found.applications),
    notes: own(found.notes),
    reminders: own(found.reminders),
    trainingSnapshots: own(found.trainingSnapshots),
    calls: own(found.calls),
    workflowRuns: own(found.workflowRuns),
    messages: found.messages
      .filter(({ conversationId }) => ids.has(conversationId))
      .map((message) => ({ ...message, contactId: contact._id })),
  } satisfies Partial<SeparationData>);
}
