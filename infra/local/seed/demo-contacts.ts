import type { ContactFields } from '../../../shared/contacts/contact-fields.ts';
import { initialStages } from '../../../shared/contacts/pipeline.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { accounts } from './accounts.ts';
import { asLead } from './outreach.ts';
import { fictionalNumbers } from './phone-numbers.ts';
import { randomness } from './randomness.ts';
import { type SeedContact, seedContacts } from './seed-contacts.ts';
import { wellKnownAge, wellKnownContacts } from './well-known-contacts.ts';

/** How many contacts there are beside the well-known ones. */
const count = 250;
const seed = 63;

/** Contacts with unusual names and fields, by their places among the others. */
const peculiar: Readonly<Record<number, Pick<ContactFields, 'firstName' | 'lastName' | 'customFields'>>> = {
  // Custom fields named like properties of every JavaScript object.
  11: { customFields: { constructor: 'Foster & Partners', toString: 'none', city: 'Manchester' } },
  // A first name only.
  83: { firstName: 'Suharto', lastName: '' },
  // Composed of letters and combining marks: a search for the usual spelling finds it.
  142: { firstName: 'Zoe\u0308', lastName: 'Nguye\u0302\u0303n-O’Brien' },
};

/** The contacts of the demo organization. */
export function demoContacts(now: Date): SeedContact[] {
  const users = accounts.map(({ _id }) => _id).filter((id) => id !== demo.admin);
  const others = seedContacts({
    count,
    stages: initialStages.Contact.length,
    users,
    importer: demo.admin,
    seed,
    now,
    newestAge: wellKnownAge,
    numbers: fictionalNumbers(),
  });
  return [
    ...[...others]
      .map((one, index) => ({ ...one, fields: { ...one.fields, ...peculiar[index] } }))
      .map((one) => asLead(one, now)),
    ...wellKnownContacts(now, randomness(2_505)),
  ];
}
