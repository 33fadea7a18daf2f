import { isPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { identifier } from '../../../shared/kernel/identifier.ts';
import type { SentMessage } from '../../../shared/messages/sent-message.ts';
import type { CallbackQuery } from './callback-query.ts';

/**
 * Where the provider reports about a message, below the address of this API. It names the message itself: a report may come before
 * the provider's id of the message is recorded, or in place of a response that was lost.
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

/** The message that an address names; undefined if it names none, or what is not a number to send it from. */
export function messageIn({
  organization = '',
  conversation = '',
  message = '',
  from,
}: CallbackQuery): SentMessage | undefined {
  const ids = [organization, conversation, message];
  const isNumber = from === undefined || isPhoneNumber(from);
  return isNumber && ids.every((id) => identifier.test(id))
    ? {
        organizationId: organization,
        contactId: contactIdIn(message),
        conversationId: conversation,
        messageId: message,
        from: from ?? null,
      }
    : undefined;
}
