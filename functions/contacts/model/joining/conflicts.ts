import { lockHolder } from '../../../../shared/contact-aggregate/number-locks.ts';
import { contactSenders, externalIds, type StoredContact } from '../../../../shared/contacts/contact.ts';
import { externalIdLockKey } from '../../../../shared/contacts/lookup-keys.ts';
import { numberLockName, phoneLockKey } from '../../../../shared/contacts/phone-numbers.ts';
import type { DetailedFailure } from '../../../../shared/kernel/documentation.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import type { TableReader } from '../../../../shared/table/table.ts';

/** Why a merge cannot be undone. */
export interface Conflict {
  readonly type: 'phoneNumber' | 'externalId' | 'contact';
  readonly id: string;
  readonly reason: 'taken' | 'merged';
}

/** The 409 for a change that cannot be undone. */
export const conflictFailure = (conflicts: readonly Conflict[]): Failure =>
  new Failure('CONFLICT', 'The change can no longer be undone: see what is in its way in conflicts.', {
    details: { conflicts },
  });

const text = { type: 'string' };

/** The 409 for the documentation. */
export const describedConflicts: DetailedFailure = {
  example: conflictFailure([{ type: 'phoneNumber', id: '+12025550142', reason: 'taken' }]),
  details: {
    conflicts: {
      description:
        'What is in its way: the number or `externalId` that a third contact has now, or the contact that was merged on.',
      type: 'array',
      items: {
        type: 'object',
        properties: { type: text, id: text, reason: text },
        required: ['type', 'id', 'reason'],
      },
    },
  },
};

/**
 * What a contact that is to be there again had and a third one has by now. What the contact still has that it was merged into goes back,
 * and what nobody has was taken from it since.
 */
export async function findTaken(
  table: TableReader,
  other: StoredContact,
  holder: StoredContact,
): Promise<Conflict[]> {
  const held = new Set(contactSenders(holder).map(numberLockName));
  const numbers = contactSenders(other).filter((address) => !held.has(numberLockName(address)));
  const ids = externalIds(other).filter((id) => !externalIds(holder).includes(id));
  const [locks, idLocks] = await Promise.all([
    numbers.length === 0 ? [] : table.readMany(numbers.map(phoneLockKey)),
    ids.length === 0 ? [] : table.readMany(ids.map((id) => externalIdLockKey(toDigest(id)))),
  ]);
  return [
    ...numbers
      .filter((_, index) => lockHolder(locks[index]) !== undefined)
      .map((id): Conflict => ({ type: 'phoneNumber', id, reason: 'taken' })),
    ...ids
      .filter((_, index) => idLocks[index] !== undefined)
      .map((id): Conflict => ({ type: 'externalId', id, reason: 'taken' })),
  ];
}
