import type { Contact } from '../../../../shared/contacts/contact.ts';
import { primaryNumber } from '../../../../shared/contacts/contact.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { StoredEvent } from '../../../../shared/live/outbox.ts';
import type { TopicEvent } from './topics.ts';

/** A lead is reported with the first event that it leads to: of the new contact, of an update, or of the application alone. */
export function leadTopics({ data, change }: StoredEvent): TopicEvent[] {
  if (change?.lead === undefined) {
    return [];
  }
  const { firstName, lastName, email, phoneNumbers, source, owner, customFields } = (data.contact ??
    {}) as Partial<Contact>;
  const phone = phoneNumbers && primaryNumber(phoneNumbers);
  return [
    {
      topic: 'lead.received',
      fields: {
        ...change.lead,
        ...given({ firstName, lastName, email, phone, source, owner, customFields }),
      },
    },
  ];
}
