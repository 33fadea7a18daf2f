import { isDeepStrictEqual } from 'node:util';
import { type ContactState, conversationOn } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import {
  findOrCreateContactByPhone,
  type WritableContact,
} from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { toConsent, withStatedConsent } from '../../../shared/contacts/consent.ts';
import { newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { placeholderFields, unnumberedFields } from '../../../shared/contacts/placeholder-contact.ts';
import { isPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import { stageById } from '../../../shared/contacts/stages.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { eventActions, type NewEvent } from '../../../shared/events/outbox.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { idAt } from '../../../shared/kernel/id-at.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { newMessage } from '../../../shared/messages/new-message.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { ownerIfEnabled } from '../../../shared/organizations/user.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { commitWithHelpReply } from './help-reply.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { type LookupOptions, lookUpMessage, type MessageLookup, receivedKeyFor } from './message-lookup.ts';
import { consentIn } from './opt-out-words.ts';
import { type ReceivedIds, recognisedFor } from './received-message.ts';

/** When a message is received, and how. */
export interface Receiving extends LookupOptions {
  /** Further requirements of the transaction. */
  readonly conditions?: readonly Action[] | undefined;
}

/** Ids that all tries of a message use. */
type NewIds = ReturnType<typeof newIds>;

/**
 * Stores an inbound message with its contact and conversation in one transaction, only once however often and simultaneously its
 * provider sends it. If it asks for help, that transaction also queues the organization's help message, at most once an hour.
 * @returns the ids; those of the first time for a duplicate.
 * @throws a 404 `Failure` for an unknown sender when there is no Contact pipeline.
 */
export async function receiveMessage(
  table: TableWriter,
  owner: NumberOwner,
  sms: IncomingSms,
  newId: ClockAndIds['newId'],
  receiving: Receiving,
): Promise<ReceivedIds & { duplicate: boolean }> {
  const { organizationId, userId } = owner;
  const { from } = sms;
  const { now, receivedAt = now } = receiving;
  const ids = newIds(receivedAt, newId);
  const isNumber = isPhoneNumber(from);
  const creator = { userId, organizationId, homeOrganizationId: organizationId };

  return table.optimistically(async () => {
    const found = await lookUpMessage(table, owner, sms, receiving);
    const { earlier, lock, user, pipelines } = found;
    if (earlier !== undefined) {
      return { ...earlier.data, duplicate: true };
    }
    const ownerId = ownerIfEnabled(user);
    const fields = {
      ...(isNumber ? placeholderFields('message', from) : unnumberedFields('message', from)),
      ...definedOnly({ firstName: sms.profileName }),
      owner: ownerId,
    };
    const received = await findOrCreateContactByPhone(
      table,
      { lock, at: timestamp(receivedAt), pipelines: pipelines.data.pipelines },
      (stageRef) => ({
        ...newContact(ids.contact, creator, stageRef, fields, timestamp(receivedAt)),
        ...(isNumber ? {} : { sender: from }),
      }),
      (contact) => store(table, contact, { owner, ownerId, sms, ids, receiving, found }),
    );
    return { ...received, duplicate: false };
  });
}

function newIds(receivedAt: Date, newId: ClockAndIds['newId']) {
  // Ids of the same millisecond are in random order, so they are sorted: clients get a contact before its first message.
  const [message = '', reply = ''] = [idAt(receivedAt, newId()), newId()].sort();
  return {
    contact: idAt(receivedAt, newId()),
    conversation: idAt(receivedAt, newId()),
    message,
    reply,
    events: [newId(), newId(), newId(), newId()].sort(),
  };
}

/** An inbound message that is stored for the first time. */
interface Inbound {
  readonly owner: NumberOwner;
  /** The owner of a new contact or conversation. */
  readonly ownerId: string | null;
  readonly sms: IncomingSms;
  readonly ids: NewIds;
  readonly receiving: Receiving;
  readonly found: MessageLookup;
}

/** Commits the message of this contact, with the help message that it asks for unless a limit is reached. */
async function store(
  table: TableWriter,
  contact: WritableContact,
  { owner, ownerId, sms, ids, receiving, found }: Inbound,
): Promise<ReceivedIds> {
  const { provider, secret } = owner;
  const { sid, providerMessageId, from, to, content, attachments } = sms;
  const { now, receivedAt = now, conditions = [] } = receiving;
  const { pipelines, help } = found;
  const at = timestamp(receivedAt);
  const { state, conversation, message } = newMessage(
    { ...contact.state, contact: afterSaying(contact.state.contact, sms, at) },
    {
      direction: 'inbound',
      content,
      attachments: [...attachments],
      status: 'received',
      sentBy: null,
      providerMessageId,
    },
    { owner: ownerId, lastInbound: { from, to } },
    ids,
    at,
  );
  const { _id: messageId, conversationId, contactId } = message;
  const received = { messageId, conversationId, contactId };
  const ownEvents = [
    ...consentEvents(contact, state.contact, pipelines.data.pipelines),
    messageCreated(state.contact, conversation, message, {
      numbers: { from, to },
      before: conversationOn(contact.state, 'sms', from),
    }),
  ];
  const actionsTo = (end: ContactState, further: readonly NewEvent[] = []) => {
    const { actions, events } = contact.writes(end);
    return [
      // A simultaneous copy of the message gets a version conflict here, and finds this record in its next attempt.
      table.add(receivedKeyFor(provider, sid), received, { expiresAt: after(now, recognisedFor) }),
      ...conditions,
      ...actions,
      table.add(messageKey(conversationId, messageId), message),
      ...eventActions(table, [...events, ...ownEvents, ...further], ids.events, now),
    ];
  };
  const replying = {
    ids: { message: ids.reply, event: ids.events.at(-1) },
    ...{ from: to, to: from, isSigned: secret !== undefined, now },
  };
  const hasReplied =
    help !== undefined &&
    (await commitWithHelpReply(table, { state, conversation }, help, replying, actionsTo));
  if (!hasReplied) {
    await table.commit(actionsTo(state));
  }
  return received;
}

/** The contact after what the message says about consent, which counts for the number or address that it came from. */
function afterSaying(contact: StoredContact, sms: IncomingSms, since: Timestamp): StoredContact {
  const said = consentIn(sms, since);
  return said === undefined ? contact : withStatedConsent(contact, sms.from, said);
}

/** The event of what the message says about consent, for a contact that was there before. */
function consentEvents(
  { isNew, state }: WritableContact,
  after: StoredContact,
  pipelines: readonly Pipeline[],
): NewEvent[] {
  return isNew || isDeepStrictEqual(toConsent(after), toConsent(state.contact))
    ? []
    : [contactEvent('contact_updated', after, stageById(pipelines, after.stageId), state.contact)];
}
