import { isDeepStrictEqual } from 'node:util';
import { incrementBase32 } from 'ulid';
import {
  type ContactAggregate,
  type ContactState,
  readAggregate,
  toContactState,
  withConversation,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import {
  type Consent,
  firstAddress,
  hasOptedOut,
  toConsent,
  withStatedConsent,
} from '../../../shared/contacts/consent.ts';
import {
  contactExists,
  contactKey,
  contactSenders,
  type StoredContact,
} from '../../../shared/contacts/contact.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import { numberLockName } from '../../../shared/contacts/phone-numbers.ts';
import { readPipelines } from '../../../shared/contacts/pipeline.ts';
import { stageById } from '../../../shared/contacts/stages.ts';
import { buildMessageResponse } from '../../../shared/conversations/build-message-response.ts';
import { conversationKey, type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import { isReply, withReplies } from '../../../shared/conversations/replies.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import { optedOutCode } from '../../../shared/kernel/providers/message-failure.ts';
import type { Downloads } from '../../../shared/kernel/providers/objects.ts';
import { after } from '../../../shared/kernel/time.ts';
import { messageUpdated } from '../../../shared/messages/message-events.ts';
import { queuedMessageKey } from '../../../shared/messages/queued-message.ts';
import { type SentMessage, sentMessageKey } from '../../../shared/messages/sent-message.ts';
import { reportsTakenFor } from '../../../shared/organizations/phone-assignments.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { type Progress, progressed } from './progress.ts';
import { stateConsent } from './state-consent.ts';

/** Where a message is. */
export type MessageRef = Pick<SentMessage, 'contactId' | 'conversationId' | 'messageId'>;

/** Who reports a message's status: the provider, or anybody who knows the provider's id of it. */
export type Trust = 'proved' | 'claimed';

/** The ports that the record of progress needs. */
export interface Recording {
  readonly table: TableWriter;
  readonly platform: TableWriter<'platform'>;
  readonly downloads: Downloads;
  readonly now: Date;
  newId(): string;
}

/**
 * Records the progress of a message with its event, removes the message from the queue, and makes it known by the provider's id: all in
 * one transaction, so that reports may come in any order, simultaneously, and before the outcome of the sending itself. A message that
 * failed is no reply. If the provider says that the number has opted out, that is recorded too.
 * @param progress undefined for a report that means nothing to us: then the message is only read.
 * @param trustIn tells who reports; it may throw. A report that anybody could have sent (`claimed`) counts only for a message that the
 * provider is known to have taken, and opts nobody out; undefined for a report that does not count at all.
 * @returns the message, and whether its status changed; undefined if it is gone, or the report does not count.
 */
export async function recordProgress(
  { table, platform, downloads, now, newId }: Recording,
  { contactId, conversationId, messageId }: MessageRef,
  progress: Progress | undefined,
  trustIn: (message: Message) => Promise<Trust | undefined> | Trust = () => 'proved',
): Promise<{ message: Message; moved: boolean } | undefined> {
  const [first = '', second = ''] = [newId(), newId()].sort();
  const optsOut = progress?.failure?.code === optedOutCode;
  const hasFailed = progress?.status === 'failed' || progress?.status === 'undelivered';
  return table.optimistically(async () => {
    const [stored, home, conversation, early] = await Promise.all([
      table.read(messageKey(conversationId, messageId)),
      table.read(contactKey(contactId)),
      table.read(conversationKey(conversationId)),
      hasFailed ? readAggregate(table, contactId) : undefined,
    ]);
    const contact = await readOwner(table, conversation?.data, home);
    if (stored === undefined || contact === undefined || conversation === undefined) {
      return undefined;
    }
    const { _id: ownerId } = contact.data;
    const before = stored.data;
    const trust = await trustIn(before);
    if (trust === undefined) {
      return undefined;
    }
    const message = progress === undefined ? before : progressed(before, progress);
    if (message === before) {
      return { message, moved: false };
    }
    const more = Number(isReply(message)) - Number(isReply(before));
    const known = early?.contact.data._id === ownerId ? early : undefined;
    const aggregate = more === 0 && !hasFailed ? known : (known ?? (await readAggregate(table, ownerId)));
    const said =
      optsOut && trust === 'proved'
        ? ({ sms: 'out', since: progress.at, source: 'provider' } as const)
        : undefined;
    const optedOut = said && optedOutBy(said, aggregate, message);
    if (said !== undefined && message.to !== undefined && !hasNumber(contact.data, message.to)) {
      // The number has moved since. Said again by the next try, this changes nothing.
      await stateConsent(table, message.to, said, { now, newId });
    }
    const state = aggregate && stateAfter(aggregate, optedOut, message, more);
    const contactActions = aggregate && state ? contactWrites(table, aggregate, state) : [];
    const event = optedOut && (await optedOutEvent(table, contact.data, optedOut));
    const taken = [
      ...(before.status === 'queued' ? [table.delete(queuedMessageKey(messageId))] : []),
      ...(before.providerMessageId === message.providerMessageId
        ? []
        : knownActions(
            { table, platform, now },
            { ...message, contactId: ownerId },
            contactActions.length > 0,
          )),
    ];
    if (message.status === before.status) {
      await table.commit([...taken, table.replace(stored, message)]);
      return { message, moved: false };
    }
    const movedIn = later(second, before.movedIn);
    const data = await buildMessageResponse(message, downloads);
    await table.commit([
      ...taken,
      table.replace(stored, { ...message, movedIn }),
      ...(event === undefined ? [] : [eventAction(table, event, first, now)]),
      eventAction(table, messageUpdated(contact.data, conversation.data, data, before), movedIn, now),
      ...contactActions,
    ]);
    return { message, moved: true };
  });
}

/** The id, or the next one after the former if it is not later: events are replayed in the order of their ids. */
function later(id: string, former = ''): string {
  return id > former ? id : incrementBase32(former);
}

/** The actions that make a message known by the provider's id. */
function knownActions(
  { table, platform, now }: Pick<Recording, 'table' | 'platform' | 'now'>,
  { _id: messageId, contactId, conversationId, providerMessageId, from = null }: Message,
  contactIsWritten: boolean,
): Action[] {
  const sent: SentMessage = {
    organizationId: table.organizationId,
    contactId,
    conversationId,
    messageId,
    from,
  };
  const key = sentMessageKey(toDigest(providerMessageId ?? ''));
  return [
    platform.put(key, sent, { expiresAt: after(now, reportsTakenFor) }),
    // Otherwise a contact that is deleted at this moment would leave this record behind.
    ...(contactIsWritten ? [] : [contactExists(table, contactId)]),
  ];
}

/**
 * The contact with the number opted out that a message was sent to; undefined if that has opted out already, has opted in since, or is
 * no longer the contact's.
 */
function optedOutBy(
  said: Consent,
  aggregate: ContactAggregate | undefined,
  { to }: Message,
): StoredContact | undefined {
  const contact = aggregate?.contact.data;
  const number = to ?? (contact && firstAddress(contact));
  if (contact === undefined || number === undefined) {
    return undefined;
  }
  if (!hasNumber(contact, number) || hasOptedOut(contact, number)) {
    return undefined;
  }
  const stated = withStatedConsent(contact, number, said);
  return stated === contact ? undefined : stated;
}

/** Whether the number is one of the contact's, in whatever notation. */
const hasNumber = (contact: StoredContact, number: string) =>
  contactSenders(contact).some((sender) => numberLockName(sender) === numberLockName(number));

/** Undefined if the consent of the contact looks the same. */
async function optedOutEvent(table: TableWriter, before: StoredContact, contact: StoredContact) {
  if (isDeepStrictEqual(toConsent(before), toConsent(contact))) {
    return undefined;
  }
  const { data } = await readPipelines(table);
  return contactEvent('contact_updated', contact, stageById(data.pipelines, contact.stageId), before);
}

/** The aggregate with a contact that opted out, and with a reply more or less; undefined if neither changes anything. */
function stateAfter(
  aggregate: ContactAggregate,
  optedOut: StoredContact | undefined,
  message: Message,
  more: number,
): ContactState | undefined {
  const before = toContactState(aggregate);
  const state = optedOut === undefined ? before : { ...before, contact: optedOut };
  const conversation = before.conversations.find(({ _id }) => _id === message.conversationId);
  const replied = conversation && more !== 0 ? withReplies(conversation, message, more) : conversation;
  return replied && replied !== conversation ? withConversation(state, replied) : optedOut && state;
}
