import { messageTexts, textsOf } from '../../../functions/notifications/model/texts.ts';
import { callEntryRange, isMissed } from '../../../shared/calls/call.ts';
import { contactKey, type StoredContact } from '../../../shared/contacts/contact.ts';
import { type Conversation, type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import {
  type NotificationContent,
  notifyActions,
  recipientsOf,
} from '../../../shared/notifications/notify.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Past } from './past.ts';

/** The cause of a notification; `textsFor` makes its texts. */
interface Telling {
  readonly userId: string | null;
  readonly at: Date;
  readonly notification: Omit<NotificationContent, '_id' | 'title' | 'message' | 'createdAt'> & {
    readonly contactId: string;
  };
  textsFor(contact: StoredContact): Promise<Pick<NotificationContent, 'title' | 'message'>>;
}

/** Demo users have read older messages, and are notified of newer ones. */
export const newsSpan = 7 * day;

/** Stores a notification, as the reader of the stream would: events of the past do not reach it. */
async function tell(past: Past, { userId, at, notification, textsFor }: Telling): Promise<void> {
  if (userId === null) {
    return;
  }
  const table = past.table(demo.organization);
  const ids = { notification: past.random.idAt(at), event: past.random.idAt(at) };
  await table.optimistically(async () => {
    const [contact, [recipient]] = await Promise.all([
      table.read(contactKey(notification.contactId)),
      recipientsOf(table, [userId]),
    ]);
    if (contact !== undefined && recipient !== undefined) {
      const texts = await textsFor(contact.data);
      const whole = { ...notification, ...texts, _id: ids.notification, createdAt: timestamp(at) };
      await table.commit(notifyActions(table, whole, [recipient], ids.event, at));
    }
  });
}

/** Notifies the owner of a contact of its lead. */
export function tellOfLead(past: Past, contactId: string, userId: string | null, at: Date): Promise<void> {
  const textsFor = async (contact: StoredContact) =>
    textsOf({ type: 'lead' }, { contact, conversation: undefined, call: undefined, actor: undefined });
  return tell(past, { userId, at, notification: { type: 'lead', contactId }, textsFor });
}

/** Notifies a user that the admin has assigned a contact to them. */
export function tellOfAssignment(past: Past, contactId: string, userId: string, at: Date): Promise<void> {
  const textsFor = async (contact: StoredContact) => {
    const actor = (await past.table(demo.organization).read(userKey(demo.admin)))?.data;
    return textsOf({ type: 'assignment' }, { contact, conversation: undefined, call: undefined, actor });
  };
  return tell(past, { userId, at, notification: { type: 'assignment', contactId }, textsFor });
}

/** Notifies a user of their missed calls. */
export async function tellOfMissedCalls(past: Past, userId: string): Promise<void> {
  for (const { data: call } of await past.table(demo.organization).list(callEntryRange(['user', userId]))) {
    if (isMissed(call)) {
      const { _id: callId, contactId, conversationId, endTime } = call;
      await tell(past, {
        userId,
        at: new Date(endTime ?? call.startTime),
        notification: { type: 'missed_call', contactId, conversationId, callId },
        textsFor: async (contact) =>
          textsOf({ type: 'missed_call' }, { contact, conversation: undefined, call, actor: undefined }),
      });
    }
  }
}

/** Notifies the assignees of a conversation of its last message, if that is an incoming one. */
export async function tellOfMessage(past: Past, conversation: Conversation): Promise<void> {
  const { _id: conversationId, contactId, userId, assignees, lastMessageId, lastMessageAt } = conversation;
  if (lastMessageId === undefined || lastMessageAt === null) {
    return;
  }
  const at = new Date(lastMessageAt);
  const key = messageKey(contactId, conversationId, lastMessageId);
  const message = (await past.table(demo.organization).read(key))?.data;
  if (message?.direction === 'inbound' && at > after(past.now, -newsSpan)) {
    const links = { contactId, conversationId, messageId: lastMessageId, count: 1 };
    await tell(past, {
      userId: assignees[0] ?? userId,
      at,
      notification: { type: 'message', ...links },
      textsFor: async (contact) => messageTexts(contact, message satisfies Message, 1),
    });
  }
}
