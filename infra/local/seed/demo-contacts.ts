import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { StagePlace } from '../../../shared/pipelines/stages.ts';
import { contactGenerator } from './contact-generator.ts';
import { fictionalNumbers } from './phone-numbers.ts';
import { randomness } from './randomness.ts';
import { wellKnownAge, wellKnownContacts } from './well-known-contacts.ts';

/** Beside the well-known ones. */
const count = 250;
const seed = 20;

/** Contacts whose names and fields are unlike those of most, at these places among the others. */
const peculiar: Readonly<Record<number, Partial<StoredContact>>> = {
  // Names of fields that JavaScript gives to every object.
  11: { customFields: { constructor: 'Foster & Partners', toString: 'none', city: 'Manchester' } },
  // One name only.
  83: { firstName: 'Suharto', lastName: '' },
  // Composed of letters and combining marks: a search for the usual spelling finds it.
  142: { firstName: 'Zoe\u0308', lastName: 'Nguye\u0302\u0303n-O’Brien' },
  // What a call leaves behind before anybody has asked for a name.
  241: {
    firstName: 'New Contact',
    lastName: '',
    email: null,
    source: 'Outgoing Call',
    isBulkImport: false,
    customFields: {},
  },
  247: {
    firstName: 'Unknown Caller',
    lastName: '',
    email: null,
    source: 'Incoming Call',
    isBulkImport: false,
    customFields: {},
  },
};

/** The contacts of the demo organization. */
export function demoContacts(
  organizationId: string,
  stages: readonly StagePlace[],
  users: readonly User[],
  now: Date,
): StoredContact[] {
  const ids = (list: readonly User[]) => list.map(({ _id }) => _id);
  const importer = users.find(({ accessRole }) => accessRole === 'ADMIN')?._id;
  const contacts = contactGenerator({
    count,
    organizationId,
    stages,
    users: ids(users.filter(({ accessRole }) => accessRole !== 'ADMIN')),
    ...(importer === undefined ? {} : { importer }),
    seed,
    now,
    newestAge: wellKnownAge,
    numbers: fictionalNumbers(),
  });
  return [
    ...[...contacts].map((contact, index) => ({ ...contact, ...peculiar[index] })),
    ...wellKnownContacts(organizationId, stages, now, randomness(5)),
  ];
}
