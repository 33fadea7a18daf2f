import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus, newPhoneNumber, type Tenants } from '../harness/tenants.ts';

/** The SMS conversation of a new contact of `rep`, with one message in it. */
export async function newConversation(
  { product, rep, newContact }: Tenants,
  more: Record<string, unknown> = {},
): Promise<{ contactId: string; conversationId: string; messageId: string }> {
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: newPhoneNumber() }], ...more });
  const sent = await conversationsClient(product, rep).send({ contactId, content: 'Hello' });
  const { data } = expectStatus(sent, 201);
  return { contactId, conversationId: data.conversationId, messageId: data._id };
}

/** Decisions 10: "Conversation", to the letter, with what the caller has read of it. */
export const conversationKeys = [
  ...['_id', 'contactId', 'organizationId', 'userId', 'assignees', 'channel', 'lastMessage'],
  ...['lastMessageAt', 'messageCount', 'unreadCount', 'readUpTo', 'isResolved', 'createdAt', 'updatedAt'],
];

/** Decisions 10: "Message", to the letter, and what has become of it. */
export const messageKeys = [
  ...['_id', 'conversationId', 'contactId', 'direction', 'content', 'attachments', 'channel'],
  ...['status', 'sentBy', 'providerMessageId', 'failure', 'segments', 'deliveredAt', 'retryOf', 'sendAt'],
  'createdAt',
];

/** The fields of a message with which nothing has happened yet. */
export const nothingYet = { failure: null, deliveredAt: null, retryOf: null, sendAt: null };

/** The operations on conversations and messages, as one person calls them. */
export function conversationsClient(product: Product, { token }: Person) {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const list = (query: Record<string, string> = {}) => call('list-conversations', { query });
  return {
    list,
    /** Ids of all conversations of a list, by paging to the end. */
    ids: async (query?: Record<string, string>) =>
      (await everyPage<{ _id: string }>(list, query)).map(({ _id }) => _id),
    read: (id: string) => call('read-conversation', { path: { id } }),
    update: (id: string, body: Record<string, unknown>, at?: Date) =>
      call('update-conversation', { path: { id }, body, at }),
    markRead: (id: string, upTo?: string | null, { at }: { at?: Date } = {}) =>
      call('mark-conversation-read', { path: { id }, body: upTo === undefined ? {} : { upTo }, at }),
    messages: (id: string, query: Record<string, string> = {}) =>
      call('list-messages', { path: { id }, query }),
    send: (body: Record<string, unknown>, at?: Date) => call('send-message', { body, at }),
  };
}
