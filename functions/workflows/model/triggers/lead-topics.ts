import type { Contact } from '../../../../shared/contacts/contact.ts';
import { primaryNumber } from '../../../../shared/contacts/contact.ts';
import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { EventData } from '../../../../shared/notifications/event-schemas.ts';
import type { TopicEvent } from '../definition/topics.ts';

/** A lead, from somebody new or known. An event too large for its frame says nothing of the contact. */
export function leadTopics({ data }: StoredEvent): TopicEvent[] {
  const { firstName, lastName, email, phoneNumbers, source, owner, customFields } = (data.contact ??
    {}) as Partial<Contact>;
  const phone = phoneNumbers && primaryNumber(phoneNumbers);
  return [
    {
      topic: 'lead.received',
      fields: {
        ...(data.lead as EventData['lead_received']['lead']),
        ...given({ firstName, lastName, email, phone, source, owner, customFields }),
      },
    },
  ];
}
