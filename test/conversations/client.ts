import type { Answer, Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, type World } from '../harness/world.ts';

/** The SMS conversation of a new contact of `rep`, with one message in it. */
export async function newConversation(
  { product, rep, newContact }: World,
  more: Record<string, unknown> = {},
): Promise<{ contactId: string; conversationId: string; messageId: string }> {
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: newPhoneNumber() }], ...more });
  const body = { contactId, content: 'Hello' };
  const { data } = expectStatus(await product.call('send-message', { token: rep.token, body }), 201);
  return { contactId, conversationId: data.conversationId, messageId: data._id };
}

/** Decisions 10: "Conversation", to the letter. */
export const conversationKeys = [
  ...['_id', 'contactId', 'organizationId', 'userId', 'assignees', 'channel', 'lastMessage'],
  ...['lastMessageAt', 'messageCount', 'isResolved', 'createdAt', 'updatedAt'],
];

/** Decisions 10: "Message", to the letter. */
export const messageKeys = [
  ...['_id', 'conversationId', 'contactId', 'direction', 'content', 'attachments', 'channel'],
  ...['status', 'sentBy', 'providerMessageId', 'createdAt'],
];

/** The operations on conversations and messages, as one person calls them. */
export interface ConversationsClient {
  list(query?: Record<string, string>): Promise<Answer>;
  /** Ids of all conversations of a list, by paging to the end. */
  ids(query?: Record<string, string>): Promise<string[]>;
  read(id: string): Promise<Answer>;
  update(id: string, body: Record<string, unknown>, at?: Date): Promise<Answer>;
  messages(id: string, query?: Record<string, string>): Promise<Answer>;
  send(body: Record<string, unknown>, at?: Date): Promise<Answer>;
}

export function conversationsClient(product: Product, { token }: Person): ConversationsClient {
  const list = (query: Record<string, string> = {}) => product.call('list-conversations', { token, query });
  return {
    list,
    async ids(query = {}) {
      const ids: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const body = expectStatus(await list({ ...query, ...(cursor && { cursor }) }), 200);
        ids.push(...body.data.map(({ _id }: { _id: string }) => _id));
        cursor = body.nextCursor;
      }
      return ids;
    },
    read: (id) => product.call('read-conversation', { token, path: { id } }),
    update: (id, body, at) =>
      product.call('update-conversation', { token, path: { id }, body, ...(at && { at }) }),
    messages: (id, query = {}) => product.call('list-messages', { token, path: { id }, query }),
    send: (body, at) => product.call('send-message', { token, body, ...(at && { at }) }),
  };
}
