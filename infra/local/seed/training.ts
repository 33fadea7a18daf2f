import { ownedId } from '../../../shared/contacts/owned.ts';
import { keys } from '../../../shared/table/keys.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import { qualities, snapshotMessages, type TrainingSnapshot } from '../../../shared/training/snapshot.ts';
import type { Exchanged } from './correspondence.ts';
import type { Randomness } from './randomness.ts';

/** Now and then a conversation kept as an example, by whoever it belongs to. */
export function trainingSteps(
  table: TableWriter,
  { conversation, messages }: Exchanged,
  now: Date,
  random: Randomness,
): Step[] {
  const { contactId, userId: createdBy } = conversation;
  if (createdBy === null || !random.chance(0.1)) {
    return [];
  }
  const snapshot: TrainingSnapshot = {
    _id: ownedId(contactId, random.idAt(now)),
    contactId,
    conversationId: conversation._id,
    createdBy,
    quality: random.pick(qualities),
    category: random.pick(['Price', 'Complaint', 'First contact']),
    tags: random.pick([[], ['patient'], ['quick', 'friendly']]),
    messages: snapshotMessages([...messages].reverse()),
    createdAt: timestamp(now),
  };
  return [
    table.add(keys.trainingSnapshot(contactId, snapshot._id), snapshot),
    table.put(keys.trainingSnapshotEntry(createdBy, snapshot._id), {}),
  ];
}
