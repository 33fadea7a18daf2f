import {
  type ContactState,
  toContactState,
  withoutLastMessage,
  withUnsentMessage,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import { findMessageBefore } from '../../../shared/conversations/message-before.ts';
import { type ReadPosition, readPositionsRange } from '../../../shared/conversations/read-position.ts';
import { withReplies } from '../../../shared/conversations/replies.ts';
import { cancelAction } from '../../../shared/events/due-entry.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { queuedMessageKey } from '../../../shared/messages/queued-message.ts';
import { dueMessage } from '../../../shared/messages/scheduled-message.ts';
import { raiseVersion } from '../../../shared/table/raise-version.ts';
import { type Action, firstVersion, type Stored, type TableWriter } from '../../../shared/table/table.ts';
import { prepareCallTextDeletion } from './deleted-call-text.ts';
import type { FoundMessage } from './find-message.ts';

/** The deletion of a message needs this beyond the deletion of its record. */
interface Deletion {
  readonly state: ContactState;
  readonly actions: readonly Action[];
  /** Move back users who had read up to the message; as many as the transaction has room for. */
  readonly positions: readonly Action[];
}

/** The deletion of a message before it is sent. @throws a 409 `Failure` for any other, and in the actions for one that is being sent. */
export async function prepareDeletion(
  table: TableWriter,
  platform: TableWriter<'platform'>,
  { aggregate, conversation, stored, previous }: FoundMessage,
  clock: ClockAndIds,
): Promise<Deletion> {
  const { data: message, version } = stored;
  const at = timestamp(clock.now);
  const due = dueMessage(table.organizationId, message);
  const before = toContactState(aggregate);
  if (due !== undefined) {
    return {
      state: withUnsentMessage(before, conversation, -1, at),
      actions: [cancelAction(platform, due)],
      positions: [],
    };
  }
  if (message.status !== 'queued') {
    throw new Failure(
      'CONFLICT',
      `Only a message that has not been sent can be deleted, and this one is ${message.status}.`,
    );
  }
  const isLast = conversation.lastMessageId === message._id;
  // Whoever reads up to a message on its way changes its version, or is moved back to it by a deletion that does.
  const isUnread = version === firstVersion;
  const [last, positions, retried, callActions] = await Promise.all([
    isLast || isUnread ? previous : findMessageBefore(table, message),
    isUnread ? [] : table.list(readPositionsRange(contactIdIn(conversation._id))),
    message.retryOf ? table.read(messageKey(conversation._id, message.retryOf)) : undefined,
    prepareCallTextDeletion(table, message, before.contact, clock),
  ]);
  const unreplied = withReplies(conversation, message, -1);
  const moves = positionActions(table, positions, message, last?.data);
  return {
    state: isLast
      ? withoutLastMessage(before, unreplied, last?.data, at)
      : withUnsentMessage(before, unreplied, -1, at),
    actions: [
      table.delete(queuedMessageKey(message._id), {
        // A run that has leased it may have given it to the provider already.
        when: 'attribute_exists(pk) AND attribute_not_exists(leasedUntil)',
        otherwise: () =>
          new Failure('CONFLICT', 'The message is being sent, so it can no longer be deleted.'),
      }),
      ...(retried === undefined ? [] : [table.replace(retried, notRetried(retried.data))]),
      ...callActions,
      // Whoever deletes this one, too, must know that somebody has read up to it.
      ...(moves.length > 0 && last?.data.status === 'queued' ? [raiseVersion(table, last)] : []),
    ],
    positions: moves,
  };
}

/** The actions that move users who had read up to the deleted message back to the one before it. */
function positionActions(
  table: TableWriter,
  positions: readonly Stored<ReadPosition>[],
  { _id }: Message,
  before: Message | undefined,
): Action[] {
  return positions
    .filter(({ data }) => data.readUpTo === _id)
    .map((stored) => table.replace(stored, { ...stored.data, readUpTo: before?._id ?? null }));
}

/** A failed message that can be sent again. */
function notRetried({ retriedBy: _, ...message }: Message): Message {
  return message;
}
