import { ownedId } from '../../../shared/contacts/owned.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { keys } from '../../../shared/table/keys.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import { qualities, snapshotMessages, type TrainingSnapshot } from '../../../shared/training/snapshot.ts';
import type { Exchanged } from './correspondence.ts';
import type { Randomness } from './randomness.ts';

/** Now and then a conversation kept as an example, by whoever it belongs to or by an ADMIN. */
export function trainingSteps(
  table: TableWriter,
  { conversation, messages }: Exchanged,
  users: readonly User[],
  now: Date,
  random: Randomness,
): Step[] {
  const { contactId, userId } = conversation;
  if (userId === null || !random.chance(0.1)) {
    return [];
  }
  const admins = users.filter(({ accessRole }) => accessRole === 'ADMIN');
  const createdBy = random.pick([userId, ...admins.map(({ _id }) => _id)]);
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
