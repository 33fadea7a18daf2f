import type { Call } from '../../../shared/calls/call.ts';
import { primaryNumber, type StoredContact } from '../../../shared/contacts/contact.ts';
import { toPlaceholderSource } from '../../../shared/contacts/placeholder-contact.ts';
import { isWithheldSender } from '../../../shared/contacts/withheld.ts';
import type { Conversation, Message } from '../../../shared/conversations/conversation.ts';
import { isVisible } from '../../../shared/kernel/schemas/fields.ts';
import { contactName } from '../../../shared/notifications/contact-name.ts';
import { excerpt } from '../../../shared/notifications/excerpt.ts';
import type { NotificationRequest } from '../../../shared/notifications/notification-request.ts';
import { displayName, type User } from '../../../shared/organizations/user.ts';

/** The subject of a notification, as far as these records exist and its user may see them. */
export interface CausingRecord {
  readonly contact: StoredContact | undefined;
  readonly conversation: Conversation | undefined;
  readonly call: Call | undefined;
}

interface Texts {
  readonly title: string;
  readonly message: string;
}

/** The texts of a notification that an event asks for; those of the request come first. */
export function notificationTexts(
  request: NotificationRequest,
  about: CausingRecord & { readonly actor: User | undefined; readonly count?: number | undefined },
): Texts {
  const usual = usualTexts(request.type, about);
  return {
    title: excerpt(request.title ?? usual.title),
    message: excerpt(request.message ?? usual.message),
  };
}

function usualTexts(
  type: NotificationRequest['type'],
  {
    contact,
    conversation,
    call,
    actor,
    count = 1,
  }: CausingRecord & { readonly actor: User | undefined; readonly count?: number | undefined },
): Texts {
  const name = contact && contactName(contact);
  switch (type) {
    case 'assignment': {
      const one = conversation === undefined ? 'a contact' : 'a conversation';
      return {
        title: `${displayName(actor)} assigned ${count === 1 ? one : `${count} contacts`} to you`,
        message: name ?? conversation?.lastMessage ?? '',
      };
    }
    case 'lead': {
      const number = primaryNumber(contact?.phoneNumbers ?? []);
      return {
        title: `Lead: ${name ?? 'a contact'}`,
        message: [contact?.source, number].filter(Boolean).join(', '),
      };
    }
    case 'missed_call':
      return {
        title: `Missed call from ${callerOf(call, contact)}`,
        message: call?.from ?? '',
      };
    case 'automation':
      return { title: 'A workflow', message: '' };
    case 'workflow_failed':
      return { title: 'A workflow failed', message: '' };
    case 'import_finished':
      return { title: 'An import is finished', message: '' };
  }
}

/** Without a number there is still a contact: that of an address, or of all who withhold their numbers from a user. */
function callerOf(call: Call | undefined, contact: StoredContact | undefined): string {
  if (contact === undefined) {
    return call?.from ?? 'an address without a number';
  }
  const isNameless = toPlaceholderSource(contact) !== undefined;
  return isNameless && isWithheldSender(contact.sender) ? 'a withheld number' : contactName(contact);
}

/** The texts for `count` messages of a contact, the last of which is given; a message without text is named by its files. */
export function messageTexts(
  contact: StoredContact | undefined,
  { content, attachments }: Message,
  count: number,
): Texts {
  const from = contact === undefined ? '' : ` from ${contactName(contact)}`;
  const files = attachments.map(({ name }) => name).join(', ');
  return {
    title: excerpt(count === 1 ? `Message${from}` : `${count} messages${from}`),
    message: excerpt(isVisible(content) ? content : files),
  };
}
