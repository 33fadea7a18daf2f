import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';

/** A new contact that messages can be sent to. */
export async function prepareRecipient(product: Product, person: Person) {
  const to = newPhoneNumber();
  const contacts = contactsClient(product, person);
  const { _id: contactId } = await contacts.created({ firstName: 'Ada', phoneNumbers: [{ value: to }] });
  return {
    to,
    contactId,
    async queue(content = 'Hello', at?: Date): Promise<{ _id: string; conversationId: string }> {
      return expectStatus(await conversationsClient(product, person).send({ contactId, content }, at), 201)
        .data;
    },
    /** Contents, statuses and ids at the provider, oldest first. */
    async messages() {
      const { body } = await conversationsClient(product, person).list({ contactId });
      const { data } = (await conversationsClient(product, person).messages(body.data[0]._id)).body;
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
