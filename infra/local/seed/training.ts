import { childId } from '../../../shared/contacts/contact.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import {
  qualities,
  snapshotEntryKey,
  snapshotKey,
  snapshotMessages,
  type TrainingSnapshot,
} from '../../../shared/training/snapshot.ts';
import type { Exchanged } from './correspondence.ts';
import type { Randomness } from './randomness.ts';

/** Now and then a conversation kept as an example, by whoever it belongs to or by an ADMIN. */
export function trainingSteps(
  table: TableWriter,
  exchanged: Exchanged,
  users: readonly User[],
  now: Date,
  random: Randomness,
): Step[] {
  const { contactId, userId } = exchanged.conversation;
  if (userId === null || !random.chance(0.1)) {
    return [];
  }
  const admins = users.filter(({ accessRole }) => accessRole === 'ADMIN');
  const createdBy = random.pick([userId, ...admins.map(({ _id }) => _id)]);
  return snapshotSteps(table, exchanged, {
    _id: childId(contactId, random.idAt(now)),
    createdBy,
    quality: random.pick(qualities),
    category: random.pick(['Price', 'Complaint', 'First contact']),
    tags: random.pick([[], ['patient'], ['quick', 'friendly']]),
    createdAt: timestamp(now),
  });
}

/** The steps that keep a conversation as it is. */
export function snapshotSteps(
  table: TableWriter,
  { conversation, messages }: Exchanged,
  kept: Omit<TrainingSnapshot, 'contactId' | 'conversationId' | 'messages'>,
): Step[] {
  const { _id: conversationId, contactId } = conversation;
  const snapshot = {
    ...kept,
    contactId,
    conversationId,
    messages: snapshotMessages([...messages].reverse()),
  };
  return [
    table.add(snapshotKey(contactId, snapshot._id), snapshot),
    table.put(snapshotEntryKey(snapshot.createdBy, snapshot._id), {}),
  ];
}
