import { deskOf } from '../contacts/desk.ts';
import { inboxOf } from '../conversations/conversations.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';

/** A new contact that messages can be sent to. */
export async function recipientOf(product: Product, person: Person) {
  const to = newPhoneNumber();
  const desk = deskOf(product, person);
  const { _id: contactId } = await desk.created({ firstName: 'Ada', phoneNumbers: [{ value: to }] });
  return {
    to,
    contactId,
    async queue(content = 'Hello', at?: Date): Promise<{ _id: string; conversationId: string }> {
      return expectStatus(await inboxOf(product, person).send({ contactId, content }, at), 201).data;
    },
    /** Contents, statuses and ids at the provider, oldest first. */
    async messages() {
      const { body } = await inboxOf(product, person).list({ contactId });
      const { data } = (await inboxOf(product, person).messages(body.data[0]._id)).body;
      return data
        .map(({ content, status, providerMessageId }: Record<string, unknown>) => ({
          content,
          status,
          providerMessageId,
        }))
        .reverse();
    },
    sent: () => product.sentMessages.filter((message) => message.to === to).map(({ content }) => content),
  };
}
