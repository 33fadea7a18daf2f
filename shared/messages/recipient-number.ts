import { ownNumber, primaryNumber, type StoredContact } from '../contacts/contact.ts';
import type { Conversation } from '../conversations/conversation.ts';

/**
 * The number to write to: the last one that the contact wrote from, if it still has it; then one that the conversation is for; otherwise the primary one; undefined for a
 * contact without a number.
 */
export function recipientNumber(
  { phoneNumbers }: StoredContact,
  conversation: Conversation | undefined,
): string | undefined {
  const { lastInbound, numbers = [] } = conversation ?? {};
  const [number] = [lastInbound?.from, ...numbers].flatMap((one) => ownNumber(phoneNumbers, one) ?? []);
  return number ?? primaryNumber(phoneNumbers);
}
