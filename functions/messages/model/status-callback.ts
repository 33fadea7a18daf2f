import * as z from 'zod/mini';
import { contactIdIn } from '../../../shared/contacts/contact.ts';
import { anyText } from '../../../shared/kernel/fields.ts';
import { identifier } from '../../../shared/kernel/identifier.ts';
import type { SentMessage } from '../../../shared/messages/sent-message.ts';

/** The query of the address to which the provider reports about a message. */
export const CallbackQuery = z.looseObject({
  organization: z.optional(anyText),
  conversation: z.optional(anyText),
  message: z.optional(anyText),
  from: z.optional(anyText),
});
type CallbackQuery = z.output<typeof CallbackQuery>;

export const callbackDescriptions = {
  organization: 'In the address that the service gives to the provider: the organization.',
  conversation: 'In that address: the conversation.',
  message: 'In that address: the message.',
  from: 'In that address: the number that the message leaves from, if it is one of the organization.',
};

/**
 * Where the provider reports about a message, below the address of this API. It names the message itself: a report may come before
 * the provider's id of the message is recorded, or in place of an answer that was lost.
 */
export function statusPath({
  organizationId,
  conversationId,
  messageId,
  from,
}: Omit<SentMessage, 'contactId'>): string {
  const query = new URLSearchParams({
    organization: organizationId,
    conversation: conversationId,
    message: messageId,
    ...(from !== null && { from }),
  });
  return `/api/webhook/twilio/status?${query}`;
}

/** The message that an address names; undefined if it names none. */
export function messageIn({
  organization = '',
  conversation = '',
  message = '',
  from,
}: CallbackQuery): SentMessage | undefined {
  const ids = [organization, conversation, message];
  return ids.every((id) => identifier.test(id))
    ? {
        organizationId: organization,
        contactId: contactIdIn(message),
        conversationId: conversation,
        messageId: message,
        from: from ?? null,
      }
    : undefined;
}
