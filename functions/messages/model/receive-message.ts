import { isDeepStrictEqual } from 'node:util';
import { type ContactState, conversationOn } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import {
  type HintedContact,
  type HintReading,
  hintActions,
  hintedContact,
} from '../../../shared/contact-aggregate/contact-hint.ts';
import {
  findOrCreateContactByPhone,
  type WritableContact,
} from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { consentOf } from '../../../shared/contacts/consent.ts';
import { newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import {
  type PhoneLock,
  phoneLockKey,
  phoneNumberIn,
  senderLockKey,
} from '../../../shared/contacts/phone-numbers.ts';
import { placeholderFields, unnumberedFields } from '../../../shared/contacts/placeholder-contact.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { idAt } from '../../../shared/kernel/id-at.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import { eventActions, type NewEvent } from '../../../shared/live/outbox.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { newMessage } from '../../../shared/messages/new-message.ts';
import type { NewcomerPolicy } from '../../../shared/organizations/newcomer-policy.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { currentPipelines, knownPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import type { Pipeline, Pipelines } from '../../../shared/pipelines/pipeline.ts';
import { stageById } from '../../../shared/pipelines/stages.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { isConsentKeyword, withKeywordConsent } from './consent-keywords.ts';
import { commitWithHelpReply, type Help, helpFor } from './help-reply.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { type ReceivedIds, receivedMessageKey, recognisedFor } from './received-message.ts';

/** What is stored about a message and its sender, in the organization that has the number. */
export interface Reception {
  /** The records of the message, if it was received before. */
  readonly earlier: Stored<ReceivedIds> | undefined;
  /** The sender, if known. */
  readonly lock: Stored<PhoneLock> | undefined;
  /** Who probably is the sender. */
  readonly hinted: HintedContact | undefined;
  /** The user of the number. */
  readonly user: Stored<User> | undefined;
  /** Read again for a message that may tell of consent. */
  readonly pipelines: Stored<Pipelines>;
  /** The help that the message asks for; undefined for none. */
  readonly help: Help | undefined;
}

/** When a message is received, and how. */
export interface Receiving {
  readonly now: Date;
  /** Now, unless the message had to wait for its recipient. */
  readonly receivedAt?: Date;
  /** For the reply to a message that asks for help; without it there is none. */
  readonly newcomerPolicy?: NewcomerPolicy;
  /** Which contact last wrote from the sender's number; without it, the lock is read first. */
  readonly hint?: HintReading | undefined;
  /** What else the transaction requires. */
  readonly conditions?: readonly Action[] | undefined;
}

/** Reads it in one round trip. `isOwner` tells whether it is certain that the organization has the number. */
export async function receptionOf(
  table: TableReader,
  { userId, provider }: Pick<NumberOwner, 'userId' | 'provider'>,
  { sid, from, content }: IncomingSms,
  { now, receivedAt = now, newcomerPolicy, hint }: Receiving,
  isOwner = true,
): Promise<Reception> {
  const isNumber = phoneNumberIn(from) === from;
  const remembered = isConsentKeyword(content) ? undefined : knownPipelines(table);
  const probably = hintedContact(table, hint, { readsAhead: isOwner });
  if (isOwner) {
    await probably; // It was read beside the owner, or is there already.
  }
  const [earlier, lock, user, pipelines, help, hinted] = await Promise.all([
    table.read(receivedKeyOf(provider, sid)),
    table.read(isNumber ? phoneLockKey(from) : senderLockKey(digestOf(from))),
    table.read(userKey(userId)),
    remembered ?? currentPipelines(table),
    newcomerPolicy && isNumber ? helpFor(table, { content, receivedAt, now }, newcomerPolicy) : undefined,
    probably,
  ]);
  return { earlier, lock, user, pipelines, help, hinted };
}

const receivedKeyOf = (provider: string, sid: string) =>
  receivedMessageKey(digestOf(JSON.stringify([provider, sid])));

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
  known?: Reception,
): Promise<ReceivedIds & { duplicate: boolean }> {
  const { organizationId, userId, provider, secret } = owner;
  const { sid, providerMessageId, from, to, content, attachments } = sms;
  const { now, receivedAt = now, conditions = [], hint } = receiving;
  const at = timestamp(receivedAt);
  const isNumber = phoneNumberIn(from) === from;
  // Ids of the same millisecond are in random order, so they are sorted: clients get a contact before its first message.
  const [message = '', reply = ''] = [idAt(receivedAt, newId()), newId()].sort();
  const ids = {
    contact: idAt(receivedAt, newId()),
    conversation: idAt(receivedAt, newId()),
    message,
    reply,
    events: [newId(), newId(), newId()].sort(),
  };
  const receivedKey = receivedKeyOf(provider, sid);
  let reception = known;
  const creator = { userId, organizationId, homeOrganizationId: organizationId };

  return table.optimistically(async () => {
    const found = reception ?? (await receptionOf(table, owner, sms, receiving));
    reception = undefined;
    const { earlier, lock, hinted, user, pipelines, help } = found;
    if (earlier !== undefined) {
      return { ...earlier.data, duplicate: true };
    }
    // A disabled user would own contacts that nobody reads.
    const ownerId = user === undefined || user.data.disabled ? null : userId;
    const fields = {
      ...(isNumber ? placeholderFields('message', from) : unnumberedFields('message', from)),
      owner: ownerId,
    };
    return findOrCreateContactByPhone(
      table,
      { lock, hinted },
      (place) => ({
        ...newContact(ids.contact, creator, place, fields, at),
        ...(isNumber ? {} : { sender: from }),
      }),
      async (contact) => {
        const { state, conversation, message } = newMessage(
          { ...contact.state, contact: withKeywordConsent(contact.state.contact, content, at) },
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
        const consent = consentEvents(contact, state.contact, pipelines.data.pipelines);
        const created = messageCreated(state.contact, conversation, message, {
          numbers: { from, to },
          before: conversationOn(contact.state, 'sms'),
        });
        const actionsTo = (end: ContactState, further: readonly NewEvent[] = []) => {
          const { actions, events } = contact.writes(end);
          const allEvents = [...events, ...consent, created, ...further];
          return [
            // A simultaneous copy of the message gets a version conflict here, and finds this record in its next attempt.
            table.add(receivedKey, received, { expiresAt: after(now, recognisedFor) }),
            ...conditions,
            ...(contact.isNew ? [] : hintActions(table, hint, hinted, contactId, now)),
            ...actions,
            table.add(messageKey(contactId, conversationId, messageId), message),
            ...eventActions(table, allEvents, ids.events, now),
          ];
        };
        const isCommitted =
          help !== undefined &&
          (await commitWithHelpReply(
            table,
            { state, conversation },
            help,
            {
              ids: { message: ids.reply, event: ids.events.at(-1) },
              ...{ from: to, to: from, isSigned: secret !== undefined, now },
            },
            actionsTo,
          ));
        if (!isCommitted) {
          await table.commit(actionsTo(state));
        }
        return { ...received, duplicate: false };
      },
    );
  });
}

/** The event of what the message says about consent, for a contact that was there before. */
function consentEvents(
  { isNew, state }: WritableContact,
  after: StoredContact,
  pipelines: readonly Pipeline[],
): NewEvent[] {
  return isNew || isDeepStrictEqual(consentOf(after), consentOf(state.contact))
    ? []
    : [contactEvent('contact_updated', after, stageById(pipelines, after.stageId), state.contact)];
}
