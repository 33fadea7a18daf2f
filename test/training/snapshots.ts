import { conversationsClient } from '../conversations/client.ts';
import { expectStatus, type Tenants } from '../harness/tenants.ts';

/** A snapshot, as asked for, of a new conversation of `rep` with one message. */
export async function newSnapshot({ product, rep, newContact }: Tenants): Promise<Record<string, unknown>> {
  const { _id: contactId } = await newContact();
  const sent = await conversationsClient(product, rep).send({ contactId, content: 'When may we call you?' });
  const { conversationId } = expectStatus(sent, 201).data;
  return { contactId, conversationId, quality: 'good', category: 'Price', tags: ['patient'] };
}
