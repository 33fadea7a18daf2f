import { newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { placeholderFields, unnumberedFields } from '../../../shared/contacts/placeholder-contact.ts';
import type { StageRef } from '../../../shared/contacts/stages.ts';
import { withheldFrom } from '../../../shared/contacts/withheld.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { Key } from '../../../shared/table/key.ts';

/** The other end of a call as the user's telephone tells it: neither number nor address for a caller who withheld the number. */
export interface CounterpartyAddress {
  /** E.164. */
  readonly number?: string | undefined;
  /** An address that is not a number, like `sip:ada@example.com`. */
  readonly address?: string | undefined;
}

/** Finds the contact on the other end again. All who withhold their number from a user are one contact. */
export function counterpartyLock({ number, address }: CounterpartyAddress, userId: string): Key<never> {
  return phoneLockKey(number ?? address ?? withheldFrom(userId));
}

/** Who creates an unknown contact, and who owns it; null for nobody. */
export interface Creation {
  readonly id: string;
  readonly creator: Omit<Caller, 'role'>;
  readonly owner: string | null;
  readonly at: Timestamp;
}

/** The placeholder contact for an unknown other end. */
export function placeholderContact(
  { number, address }: CounterpartyAddress,
  direction: Direction,
  stageRef: StageRef,
  { id, creator, owner, at }: Creation,
): StoredContact {
  const source = `${direction} call` as const;
  return number === undefined
    ? {
        ...newContact(id, creator, stageRef, { ...unnumberedFields(source, address), owner }, at),
        sender: address ?? withheldFrom(creator.userId),
      }
    : newContact(id, creator, stageRef, { ...placeholderFields(source, number), owner }, at);
}
