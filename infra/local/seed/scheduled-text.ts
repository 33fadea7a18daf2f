import {
  aggregateOf,
  stateOf,
  withUnsentMessage,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import { scheduleAction } from '../../../shared/events/due-entry.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import { dueMessage } from '../../../shared/messages/scheduled-message.ts';
import type { Past } from './past.ts';

/**
 * Schedules a text to Ada Lovelace for tomorrow. It does not use the operation, which would make the id from that time: an example could
 * not name an id that is different at each first start.
 */
export async function scheduleText({ now, platform, ...past }: Past): Promise<void> {
  const table = past.table(demo.organization);
  const aggregate = await aggregateOf(table, demo.ada);
  const conversation = aggregate?.conversations.find(({ data }) => data._id === demo.conversation)?.data;
  if (aggregate === undefined || conversation === undefined) {
    throw new Error('There is nobody to write to yet');
  }
  const message: Message = {
    _id: demo.scheduledMessage,
    conversationId: demo.conversation,
    contactId: demo.ada,
    direction: 'outbound',
    content: 'Good morning Ada! Shall we go through the contract today?',
    attachments: [],
    channel: 'sms',
    status: 'scheduled',
    sentBy: demo.rep,
    providerMessageId: null,
    sendAt: timestamp(after(now, day)),
    createdAt: timestamp(now),
  };
  const due = dueMessage(demo.organization, message);
  const state = withUnsentMessage(stateOf(aggregate), conversation, 1, message.createdAt);
  await table.commit([
    ...contactWrites(table, aggregate, state),
    table.add(messageKey(demo.ada, demo.conversation, demo.scheduledMessage), message),
    ...(due === undefined ? [] : [scheduleAction(platform, due)]),
  ]);
}
