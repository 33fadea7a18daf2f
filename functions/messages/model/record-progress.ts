import { incrementBase32 } from 'ulid';
import { aggregateOf, type ContactAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { firstAddress, hasOptedOut } from '../../../shared/contacts/consent.ts';
import { contactExists, contactKey, sendersOf } from '../../../shared/contacts/contact.ts';
import { conversationKey, type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import { optedOutCode } from '../../../shared/conversations/message-failure.ts';
import { toMessageResponse } from '../../../shared/conversations/to-message-response.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import { after } from '../../../shared/kernel/time.ts';
import { eventAction } from '../../../shared/live/outbox.ts';
import { messageUpdated } from '../../../shared/messages/message-events.ts';
import { queuedMessageKey } from '../../../shared/messages/queued-message.ts';
import { type SentMessage, sentMessageKey } from '../../../shared/messages/sent-message.ts';
import type { Downloads } from '../../../shared/objects/objects.ts';
import { reportsTakenFor } from '../../../shared/organizations/phone-assignments.ts';
import { currentPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import type { Pipelines } from '../../../shared/pipelines/pipeline.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import { type Progress, progressed } from './progress.ts';
import { type ConsentWrite, consentWrite } from './state-consent.ts';

/** Where a message is. */
export type MessagePlace = Pick<SentMessage, 'contactId' | 'conversationId' | 'messageId'>;

/** Who reports a message's status: the provider, or anybody who knows the provider's id of it. */
export type Trust = 'proved' | 'claimed';

/** What the record of progress needs. */
export interface Recording {
  readonly table: TableWriter;
  readonly platform: TableWriter<'platform'>;
  readonly downloads: Downloads;
  readonly now: Date;
  newId(): string;
}

/**
 * Records the progress of a message with its event, removes the message from the queue, and makes it known by the provider's id: all in
 * one transaction, so that reports may come in any order, simultaneously, and before the outcome of the sending itself. If the provider
 * says that the number has opted out, that is recorded too.
 * @param progress undefined for a report that means nothing to us: then the message is only read.
 * @param trustIn tells who reports; it may throw. A report that anybody could have sent (`claimed`) counts only for a message that the
 * provider is known to have taken, and opts nobody out; undefined for a report that does not count at all.
 * @returns the message, and whether its status changed; undefined if it is gone, or the report does not count.
 */
export async function recordProgress(
  { table, platform, downloads, now, newId }: Recording,
  { contactId, conversationId, messageId }: MessagePlace,
  progress: Progress | undefined,
  trustIn: (message: Message) => Promise<Trust | undefined> | Trust = () => 'proved',
): Promise<{ message: Message; moved: boolean } | undefined> {
  const [first = '', second = ''] = [newId(), newId()].sort();
  const optsOut = progress?.failure?.code === optedOutCode;
  return table.optimistically(async () => {
    const [stored, contact, conversation, refused] = await Promise.all([
      table.read(messageKey(contactId, conversationId, messageId)),
      table.read(contactKey(contactId)),
      table.read(conversationKey(contactId, conversationId)),
      optsOut ? Promise.all([aggregateOf(table, contactId), currentPipelines(table)]) : undefined,
    ]);
    if (stored === undefined || contact === undefined || conversation === undefined) {
      return undefined;
    }
    const before = stored.data;
    const trust = await trustIn(before);
    if (trust === undefined) {
      return undefined;
    }
    const message = progress === undefined ? before : progressed(before, progress);
    if (message === before) {
      return { message, moved: false };
    }
    const optOut =
      trust === 'proved' && refused !== undefined && progress !== undefined
        ? optingOut(table, refused, message, progress.at)
        : undefined;
    const taken = [
      ...(before.status === 'queued' ? [table.delete(queuedMessageKey(contactId, messageId))] : []),
      ...(before.providerMessageId === message.providerMessageId
        ? []
        : knownActions({ table, platform, now }, message, optOut !== undefined)),
    ];
    if (message.status === before.status) {
      await table.commit([...taken, table.replace(stored, message)]);
      return { message, moved: false };
    }
    const movedIn = later(second, before.movedIn);
    const data = await toMessageResponse(message, downloads);
    await table.commit([
      ...taken,
      table.replace(stored, { ...message, movedIn }),
      ...(optOut?.event === undefined ? [] : [eventAction(table, optOut.event, first, now)]),
      eventAction(table, messageUpdated(contact.data, conversation.data, data, before), movedIn, now),
      ...(optOut?.actions ?? []),
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
  const key = sentMessageKey(digestOf(providerMessageId ?? ''));
  return [
    platform.put(key, sent, { expiresAt: after(now, reportsTakenFor) }),
    // Otherwise a contact that is deleted at this moment would leave this record behind.
    ...(contactIsWritten ? [] : [contactExists(table, contactId)]),
  ];
}

/**
 * The event and the actions that opt out the number that a message was sent to; undefined if it is opted out already, has opted in since,
 * or is no longer the contact's.
 */
function optingOut(
  table: TableWriter,
  [aggregate, { data }]: readonly [ContactAggregate | undefined, Stored<Pipelines>],
  { to }: Message,
  since: Timestamp,
): ConsentWrite | undefined {
  const contact = aggregate?.contact.data;
  const number = to ?? (contact && firstAddress(contact));
  return aggregate === undefined ||
    contact === undefined ||
    number === undefined ||
    !sendersOf(contact).includes(number) ||
    hasOptedOut(contact, number)
    ? undefined
    : consentWrite(table, aggregate, data.pipelines, number, { sms: 'out', since, source: 'provider' });
}
