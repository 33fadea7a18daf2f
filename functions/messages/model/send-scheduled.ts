import {
  type ContactAggregate,
  readAggregateWith,
  toContactState,
  withLastMessage,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { canSeeConversation } from '../../../shared/contact-aggregate/find-conversation.ts';
import { hasOptedOut } from '../../../shared/contacts/consent.ts';
import { buildMessageResponse } from '../../../shared/conversations/build-message-response.ts';
import {
  type Conversation,
  conversationKey,
  type Message,
  messageKey,
} from '../../../shared/conversations/conversation.ts';
import { findMessageBefore } from '../../../shared/conversations/message-before.ts';
import { asReply } from '../../../shared/conversations/replies.ts';
import type { DueEntry } from '../../../shared/events/due-entry.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { failureWords } from '../../../shared/kernel/providers/message-failure.ts';
import type { Downloads } from '../../../shared/kernel/providers/objects.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { commitText } from '../../../shared/messages/daily-text-limit.ts';
import { messageUpdated } from '../../../shared/messages/message-events.ts';
import { queuedAction } from '../../../shared/messages/queue-actions.ts';
import { queuedFor } from '../../../shared/messages/queued-message.ts';
import { recipientNumber } from '../../../shared/messages/recipient-number.ts';
import { type PhoneAssignment, readAssignments } from '../../../shared/organizations/phone-assignments.ts';
import {
  effectiveTextPolicy,
  type TextPolicy,
  textSettings,
} from '../../../shared/organizations/text-settings.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { readScope } from '../../../shared/organizations/visibility.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { findSenderNumber, type SenderSources } from './sender.ts';

/** The outcome of a due message: it is on its way; it failed; or it, or its contact, was gone. */
type Sending = 'queued' | 'failed' | 'gone';

interface Resources extends SenderSources {
  readonly table: TableWriter;
  /** The table with the user who scheduled the message: a SUPERADMIN may belong to another organization. */
  readonly authors: TableReader;
  readonly downloads: Downloads;
}

/** A scheduled message at its time, with what decides whether it can be sent. */
interface DueMessage {
  readonly stored: Stored<Message>;
  readonly aggregate: ContactAggregate;
  readonly conversation: Conversation;
  readonly author: User | undefined;
  readonly numbers: readonly PhoneAssignment[];
  readonly textPolicy: TextPolicy;
}

/** Why a message cannot be sent at its time, in words for users who read the conversation. */
class Unsendable extends Error {
  readonly failure: { readonly code: keyof typeof failureWords; readonly reason: string };

  constructor(code: keyof typeof failureWords, reason: string) {
    super(reason);
    this.failure = { code, reason };
  }
}

/**
 * Queues a scheduled message at its time as if its author sent it then, or marks it as failed, with its event in the same transaction.
 * Once it is queued, it goes to the provider like any other.
 */
export async function sendScheduled(
  { id, group: userId, conversationId = '' }: DueEntry,
  { table, authors, identity, trialPolicy, downloads }: Resources,
  { now, newId, end }: ClockAndIds & { readonly end: Action },
): Promise<Sending> {
  const eventId = newId();
  return table.optimistically(async () => {
    const [stored, aggregate, author, numbers, settings] = await Promise.all([
      table.read(messageKey(conversationId, id)),
      readAggregateWith(table, conversationKey(conversationId)),
      authors.read(userKey(userId)),
      readAssignments(table, userId),
      table.read(textSettings.key),
    ]);
    const conversation = aggregate?.conversations.find(({ data }) => data._id === conversationId)?.data;
    if (stored?.data.status !== 'scheduled' || aggregate === undefined || conversation === undefined) {
      await table.commit([end]);
      return 'gone';
    }
    const textPolicy = effectiveTextPolicy(settings?.data, trialPolicy);
    // A user who reads up to this message has read what is listed before it, but not what came in since its time.
    const { inboundNumber = 0 } = ((await findMessageBefore(table, stored.data)) ?? stored).data;
    const due: DueMessage = { stored, aggregate, conversation, author: author?.data, numbers, textPolicy };
    /** The actions that write the message as it is now, and tell of it. */
    const actionsFor = async (message: Message): Promise<Action[]> => [
      end,
      table.replace(stored, { ...message, inboundNumber }),
      eventAction(
        table,
        messageUpdated(
          aggregate.contact.data,
          conversation,
          await buildMessageResponse(message, downloads),
          stored.data,
        ),
        eventId,
        now,
      ),
    ];
    try {
      const { from, to } = await numbersFor(due, { table, identity, trialPolicy }, now);
      const message = asReply({ ...stored.data, status: 'queued', from, to, movedIn: eventId }, conversation);
      const state = withLastMessage(toContactState(aggregate), conversation, message, timestamp(now));
      const actions = [
        ...(await actionsFor(message)),
        ...contactWrites(table, aggregate, state),
        queuedAction(table, message, to, now),
      ];
      await commitText(table, actions, {
        contactId: aggregate.contact.data._id,
        limit: textPolicy.dailyLimit,
        now,
      }).catch(refuseBeyondLimit);
      return 'queued';
    } catch (error) {
      if (!(error instanceof Unsendable)) {
        throw error;
      }
      const message: Message = {
        ...stored.data,
        status: 'failed',
        failure: error.failure,
        movedIn: eventId,
      };
      await table.commit(await actionsFor(message));
      return 'failed';
    }
  });
}

/** The numbers that a message leaves from and goes to. @throws `Unsendable` for a message that must not or cannot be sent. */
async function numbersFor(
  { stored, aggregate, conversation, author, numbers, textPolicy }: DueMessage,
  { table, identity }: SenderSources,
  now: Date,
): Promise<{ from: string | null; to: string }> {
  const contact = aggregate.contact.data;
  if (now.getTime() - Date.parse(stored.data.sendAt ?? '') > queuedFor) {
    throw new Unsendable('EXPIRED', 'The message could not be sent within a day of its time. Send it again.');
  }
  if (author === undefined || author.disabled) {
    throw new Unsendable('SENDER_DISABLED', 'The account of the user who scheduled the message is disabled.');
  }
  const viewer = { userId: author._id, role: author.accessRole };
  const mayBeHere = author.organizationId === table.organizationId || author.accessRole === 'SUPERADMIN';
  if (!mayBeHere || !canSeeConversation(await readScope(viewer, table), contact, conversation)) {
    throw new Unsendable(
      'NO_ACCESS',
      'The user who scheduled the message can no longer see the contact. Somebody who can see it may send the message again.',
    );
  }
  const to = recipientNumber(contact, conversation);
  if (hasOptedOut(contact, to)) {
    throw new Unsendable('OPTED_OUT', 'The contact has opted out of text messages.');
  }
  if (to === undefined) {
    throw new Unsendable('NO_RECIPIENT', 'The contact no longer has a phone number.');
  }
  const chosen = stored.data.from ?? undefined;
  const from = await findSenderNumber(identity, table, numbers, conversation, textPolicy, chosen).catch(
    noneIfRefused,
  );
  if (from === undefined) {
    throw new Unsendable(
      'NUMBER_LOST',
      chosen === undefined
        ? 'The user who scheduled the message had no active phone number to send it from. Ask an ADMIN to assign one, then send the message again.'
        : 'The number that the message was to be sent from is no longer an active number of the user who scheduled it. Send the message again.',
    );
  }
  return { from, to };
}

/** Nothing in place of what a person would be refused. */
function noneIfRefused(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'CONFLICT') {
    return undefined;
  }
  throw error;
}

function refuseBeyondLimit(error: unknown): never {
  throw error instanceof Failure && error.code === 'TOO_MANY_ATTEMPTS'
    ? new Unsendable(
        'DAILY_LIMIT',
        'Your organization had reached its daily limit of text messages. Send the message again.',
      )
    : error;
}
