import type { ContactFields } from '../../../shared/contacts/contact-fields.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { initialStages } from '../../../shared/pipelines/pipeline.ts';
import { accounts } from './accounts.ts';
import { type Newcomer, newcomers } from './newcomers.ts';
import { asLead } from './outreach.ts';
import { fictionalNumbers } from './phone-numbers.ts';
import { randomness } from './randomness.ts';
import { wellKnownAge, wellKnownContacts } from './well-known-contacts.ts';

/** Beside the well-known ones. */
const count = 250;
const seed = 63;

/** Contacts whose names and fields are unlike those of most, at these places among the others. */
const peculiar: Readonly<Record<number, Pick<ContactFields, 'firstName' | 'lastName' | 'customFields'>>> = {
  // Names of fields that JavaScript gives to every object.
  11: { customFields: { constructor: 'Foster & Partners', toString: 'none', city: 'Manchester' } },
  // One name only.
  83: { firstName: 'Suharto', lastName: '' },
  // Composed of letters and combining marks: a search for the usual spelling finds it.
  142: { firstName: 'Zoe\u0308', lastName: 'Nguye\u0302\u0303n-O’Brien' },
};

/** Those who become contacts of the demo organization. */
export function demoContacts(now: Date): Newcomer[] {
  const users = accounts.map(({ _id }) => _id).filter((id) => id !== demo.admin);
  const others = newcomers({
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
