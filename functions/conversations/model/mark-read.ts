import { findConversation } from '../../../shared/contact-aggregate/find-conversation.ts';
import {
  type Conversation,
  conversationKey,
  type Message,
  messageKey,
  messageRange,
} from '../../../shared/conversations/conversation.ts';
import { findMessageBefore } from '../../../shared/conversations/message-before.ts';
import {
  type ReadConversation,
  type ReadPosition,
  readAt,
  readPositionKey,
} from '../../../shared/conversations/read-position.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { raiseVersion } from '../../../shared/table/raise-version.ts';
import {
  type Stored,
  type TableReader,
  type TableWriter,
  VersionConflict,
} from '../../../shared/table/table.ts';

interface MarkedRead {
  readonly isChanged: boolean;
  readonly conversation: ReadConversation;
}

/** The position of a user who has never read a conversation. */
const unread: ReadPosition = { readUpTo: null, readInbound: 0 };

/**
 * Moves the caller's position in a conversation forward to a message, or to the end, and tells the caller's own connections.
 * @throws a 404 `Failure` for a conversation that the caller may not see, and for a message that is not in it.
 */
export async function markRead(
  table: TableWriter,
  caller: Caller,
  id: string,
  upTo: string | undefined,
  { eventId, now }: { eventId: string; now: Date },
): Promise<MarkedRead> {
  const { userId } = caller;
  const contactId = contactIdIn(id);
  return table.optimistically(async () => {
    const [conversation, message, stored, newest] = await Promise.all([
      findConversation(table, caller, id),
      upTo === undefined ? undefined : table.read(messageKey(id, upTo)),
      table.read(readPositionKey(userId, id)),
      upTo === undefined ? newestMessage(table, id) : undefined,
    ]);
    if (upTo !== undefined && message === undefined) {
      throw new Failure('NOT_FOUND', 'upTo is not the id of a message of this conversation');
    }
    const before = stored?.data ?? unread;
    const reached = await reachedWith(table, conversation, message, now);
    const position = furtherOf(before, reached.position);
    const read = readAt(conversation, position);
    if (position === before) {
      return { isChanged: false, conversation: read };
    }
    const { readUpTo, unreadCount } = read;
    const moved = readUpTo === before.readUpTo ? null : readUpTo;
    const last = await messageOf(table, conversation, moved, [reached.message, newest]);
    await table.commit([
      // Whoever deletes it at this moment moves this position back, too, or this finds it deleted.
      ...(last?.data.status === 'queued' ? [raiseVersion(table, last)] : []),
      ...(stored === undefined
        ? [
            table.add(readPositionKey(userId, id), position),
            // Only the first time: a contact that is deleted at this moment leaves no position behind.
            table.require(conversationKey(id), {
              when: 'attribute_exists(pk)',
              otherwise: () => new VersionConflict(),
            }),
          ]
        : [table.replace(stored, position)]),
      eventAction(
        table,
        {
          event: 'conversation_read',
          data: { conversationId: id, contactId, readUpTo, unreadCount },
          audience: { kind: 'user', userId },
        },
        eventId,
        now,
      ),
    ]);
    return { isChanged: true, conversation: read };
  });
}

/** The one listed last, read beside the conversation: mostly its last message. */
async function newestMessage(
  table: TableReader,
  conversationId: string,
): Promise<Stored<Message> | undefined> {
  const range = messageRange(conversationId);
  return (await table.list(range, { limit: 1, descending: true }))[0];
}

/** How far somebody has read, and the message that it was found by, if one was read. */
interface Reached {
  readonly position: ReadPosition;
  readonly message: Stored<Message> | undefined;
}

/**
 * The position of a user who has read up to this message. Without a message, with the last one, or with one that is scheduled for later,
 * it is the end. A message that is about to be sent has the position of the message before it.
 */
async function reachedWith(
  table: TableReader,
  { inboundCount = 0, lastMessageId }: Conversation,
  message: Stored<Message> | undefined,
  now: Date,
): Promise<Reached> {
  const isScheduled = message?.data.status === 'scheduled';
  if (
    message === undefined ||
    message.data._id === lastMessageId ||
    (isScheduled && timestamp(now) < (message.data.sendAt ?? ''))
  ) {
    return { position: { readUpTo: lastMessageId ?? null, readInbound: inboundCount }, message };
  }
  const shown = isScheduled ? await findMessageBefore(table, message.data) : message;
  return {
    position:
      shown === undefined ? unread : { readUpTo: shown.data._id, readInbound: shown.data.inboundNumber ?? 0 },
    message: shown,
  };
}

/** The message with this id, of those read already or read now. @throws `VersionConflict` for one that was deleted meanwhile. */
async function messageOf(
  table: TableReader,
  { _id: conversationId }: Conversation,
  id: string | null,
  known: readonly (Stored<Message> | undefined)[],
): Promise<Stored<Message> | undefined> {
  if (id === null) {
    return undefined;
  }
  const found =
    known.find((message) => message?.data._id === id) ?? (await table.read(messageKey(conversationId, id)));
  if (found === undefined) {
    throw new VersionConflict();
  }
  return found;
}

/** Both the later message and the higher number; the position before itself if that is ahead in both. */
function furtherOf(before: ReadPosition, wanted: ReadPosition): ReadPosition {
  const isLater = (wanted.readUpTo ?? '') > (before.readUpTo ?? '');
  const isMore = wanted.readInbound > before.readInbound;
  return isLater || isMore
    ? {
        readUpTo: isLater ? wanted.readUpTo : before.readUpTo,
        readInbound: isMore ? wanted.readInbound : before.readInbound,
      }
    : before;
}
