import {
  type ContactAggregate,
  conversationOn,
  readAggregate,
  toContactState,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { canSeeConversation } from '../../../shared/contact-aggregate/find-conversation.ts';
import { hasOptedOut, toConsent } from '../../../shared/contacts/consent.ts';
import { primaryNumber, type StoredContact } from '../../../shared/contacts/contact.ts';
import type { FieldsOfContact } from '../../../shared/contacts/field-value.ts';
import { requireUnmerged } from '../../../shared/contacts/find-contact.ts';
import { withoutPlaceholderName } from '../../../shared/contacts/placeholder-contact.ts';
import type { Conversation } from '../../../shared/conversations/conversation.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { codePoints } from '../../../shared/kernel/code-points.ts';
import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import { isVisible } from '../../../shared/kernel/schemas/fields.ts';
import { filled } from '../../../shared/messages/fill-placeholders.ts';
import { recipientNumber } from '../../../shared/messages/recipient-number.ts';
import { smsLimit } from '../../../shared/messages/sms-limits.ts';
import { involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A contact that the caller may write to, with its SMS conversation if there is one. */
export interface Recipient {
  readonly aggregate: ContactAggregate;
  readonly conversation: Conversation | undefined;
  /** The number to write to; undefined if the contact has none. */
  readonly to: string | undefined;
  /** False for a caller who sees only the conversation: a template must not show them the contact's data. */
  readonly seesContact: boolean;
}

/**
 * The recipient, for a caller who may see the contact or its SMS conversation: the one with this id, or else that of its primary number.
 * @throws a 404 `Failure` otherwise, a 409 if the number to write to has opted out of text messages.
 */
export async function resolveRecipient(
  table: TableReader,
  caller: Caller,
  contactId: string,
  conversationId: string | undefined,
): Promise<Recipient> {
  const [aggregate, scope] = await Promise.all([readAggregate(table, contactId), readScope(caller, table)]);
  const contact = aggregate?.contact.data;
  if (aggregate === undefined || contact === undefined) {
    throw notFound('Contact');
  }
  const state = toContactState(aggregate);
  const conversation =
    state.conversations.find(({ _id, channel }) => _id === conversationId && channel === 'sms') ??
    conversationOn(state, 'sms', primaryNumber(contact.phoneNumbers));
  const seesContact = sees(scope, involvedPeople(contact));
  if (!seesContact && (conversation === undefined || !canSeeConversation(scope, contact, conversation))) {
    throw notFound('Contact');
  }
  requireUnmerged(contactId, contact);
  return { aggregate, conversation, to: requireRecipientNumber(contact, conversation), seesContact };
}

/** The number to write to; undefined if there is none. @throws a 409 `Failure` if it has opted out of text messages. */
export function requireRecipientNumber(
  contact: StoredContact,
  conversation: Conversation | undefined,
): string | undefined {
  const to = recipientNumber(contact, conversation);
  if (hasOptedOut(contact, to)) {
    throw new Failure(
      'CONFLICT',
      toConsent(contact, to).source === 'provider'
        ? 'The contact has opted out of text messages with the provider. It can opt in again by sending START.'
        : 'The contact has opted out of text messages. It can opt in again by sending START, or you can record its consent.',
    );
  }
  return to;
}

/**
 * A text with its placeholders filled for a contact. `field` is the field of the request that it comes from.
 * @throws a 400 `Failure` when it becomes empty or too long.
 */
export function filledText(
  text: string,
  { contact, pipelines }: FieldsOfContact,
  field: 'content' | 'templateId',
): string {
  const what = field === 'content' ? 'content must be a text' : 'templateId must be the id of a template';
  const refusal = `${what} with at most ${smsLimit} characters once its placeholders are filled`;
  // Some placeholders add what others may take away again, but no more than the text has. Two code units may be one code point.
  const most = text.length + 2 * smsLimit;
  const content = filled(text, { contact: withoutPlaceholderName(contact), pipelines }, { most, refusal });
  if (!isVisible(content)) {
    throw new Failure('INVALID', `${what} that is not empty once its placeholders are filled`);
  }
  if (codePoints(content) > smsLimit) {
    throw new Failure('INVALID', refusal);
  }
  return content;
}
