import { after, day } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { clockClient } from '../harness/clock.ts';
import { readEvents } from '../harness/events.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';

/** Scheduled text messages of a product; the clock runs when a test says so. */
export async function prepareScheduled(product: Product) {
  const { run, waitingUntil } = clockClient(product);
  const outgoing = await prepareOutgoing(product);
  let time = after(new Date(), 2 * day);

  return {
    run,
    outgoing,
    /** A time of its own for each test, so that a run does what is due for it and nothing else. */
    nextTime() {
      time = after(time, 3 * day);
      return time;
    },
    /** A new contact, to whom somebody schedules messages. */
    async recipient(person: Person) {
      const number = newPhoneNumber();
      const contacts = contactsClient(product, person);
      const { _id: contactId } = await contacts.created({
        firstName: 'Ada',
        phoneNumbers: [{ value: number }],
      });
      const conversations = conversationsClient(product, person);
      const { token, organizationId } = person;
      return {
        contactId,
        number,
        contacts,
        conversations,
        schedule: (sendAt: Date | string, more: Record<string, unknown> = {}) =>
          conversations.send({
            contactId,
            content: 'See you at ten',
            sendAt: typeof sendAt === 'string' ? sendAt : sendAt.toISOString(),
            ...more,
          }),
        async scheduled(sendAt: Date, more: Record<string, unknown> = {}) {
          return expectStatus(await this.schedule(sendAt, more), 201).data;
        },
        remove: (id: string) => product.call('delete-message', { token, path: { id } }),
        conversation: async () => (await conversations.list({ contactId })).body.data[0],
        /** The messages of the conversation, newest first. */
        async messages() {
          const { _id } = await this.conversation();
          return expectStatus(await conversations.messages(_id), 200).data;
        },
        /** The texts that the provider has got, after the stream told of all that is queued. */
        async sent(at?: Date): Promise<string[]> {
          await outgoing.tellAll(person, at);
          return product.sentMessages.filter(({ to }) => to === number).map(({ content }) => content);
        },
        /** The events about the contact's messages, as [event, status]. */
        async events() {
          return (await readEvents(product, organizationId))
            .filter(({ event, data }) => event.startsWith('message_') && data.contactId === contactId)
            .map(({ event, data }) => [event, (data.message as { status: string } | undefined)?.status]);
        },
        waiting: async () =>
          (await waitingUntil(new Date('9999'))).filter(({ id }) => id.endsWith(contactId)).length,
      };
    },
  };
}
