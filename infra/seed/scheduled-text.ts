import {
  readAggregate,
  toContactState,
  withUnsentMessage,
} from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { type Message, messageKey } from '../../shared/conversations/conversation.ts';
import { scheduleAction } from '../../shared/events/due-entry.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { dueMessage } from '../../shared/messages/scheduled-message.ts';
import type { Past } from './past.ts';

/** A text that is sent later. */
export interface TextEntry {
  readonly schedule: Message;
}

/** Schedules a text. It does not use the operation, which would make the id from the time at which it is sent. */
export async function scheduleText(past: Past, { schedule: message }: TextEntry): Promise<void> {
  const { _id, contactId, conversationId, createdAt } = message;
  const table = past.table(demo.organization);
  const aggregate = await readAggregate(table, contactId);
  const conversation = aggregate?.conversations.find(({ data }) => data._id === conversationId)?.data;
  if (aggregate === undefined || conversation === undefined) {
    throw new Error(`The text ${_id} has no conversation yet.`);
  }
  const due = dueMessage(demo.organization, message);
  await table.commit([
    ...contactWrites(
      table,
      aggregate,
      withUnsentMessage(toContactState(aggregate), conversation, 1, createdAt),
    ),
    table.add(messageKey(conversationId, _id), message),
    ...(due === undefined ? [] : [scheduleAction(past.platform, due)]),
  ]);
}
