import type { ContactFields } from '../../../functions/contacts/model/contact-fields.ts';
import { isUnassigned, moved, newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { after, day, minute, timestamp } from '../../../shared/kernel/time.ts';
import type { StagePlace } from '../../../shared/pipelines/stages.ts';
import { type Person, people } from './names.ts';
import { type NumberSource, unassignedNumbers } from './phone-numbers.ts';
import { type Randomness, randomness } from './randomness.ts';

export interface ContactsWanted {
  readonly count: number;
  readonly organizationId: string;
  /** Of one pipeline, in its order: contacts enter the first and move on as they age. */
  readonly stages: readonly StagePlace[];
  /** Ids of those who create, own and are assigned to contacts. */
  readonly users: readonly string[];
  /** Who imports contacts in bulk; the first of the users unless stated. */
  readonly importer?: string;
  /** The same seed makes the same contacts. */
  readonly seed: number;
  /** Contacts were created in the 90 days before, and have written or been written to until then. */
  readonly now: Date;
  /** How long ago the newest was created at least; 0 unless stated. */
  readonly newestAge?: number;
  /** Where telephone numbers come from; by default unlimited numbers of no country. */
  readonly numbers?: NumberSource;
}

/** How long ago the oldest contact was created. */
const span = 90 * day;
/** Days ago on which contacts were imported in bulk, all of an import at the same moment. */
const imports = [61, 33, 12] as const;

const sources = ['Website', 'Referral', 'Trade fair', 'Newsletter', 'Outreach', 'Webchat', 'Incoming Call'];
const tags = ['vip', 'wholesale', 'retail', 'callback', 'price list', 'returning', 'on hold'];
const interests = ['coffee', 'tea', 'ceramics', 'textiles', 'furniture', 'lighting'];

/** Contacts as operations would have left them, one at a time; the oldest first, but for those of imports. */
export function* contactGenerator(wanted: ContactsWanted): Generator<StoredContact, void, undefined> {
  const random = randomness(wanted.seed);
  const nextPerson = people(wanted.seed, random);
  const numbers = wanted.numbers ?? unassignedNumbers();
  for (let index = 0; index < wanted.count; index += 1) {
    yield engaged(contact(wanted, nextPerson(), numbers, index, random), wanted, random);
  }
}

function contact(
  { count, organizationId, stages, users, importer = users[0], now, newestAge = 0 }: ContactsWanted,
  person: Person,
  numbers: NumberSource,
  index: number,
  random: Randomness,
): StoredContact {
  const isImport = random.chance(0.12);
  const age = isImport
    ? random.pick(imports) * day
    : Math.floor(newestAge + ((span - newestAge) * (count - index - random.next())) / count);
  const createdAt = after(now, -age);
  const creator = isImport && importer !== undefined ? importer : random.pick(users);
  const created = newContact(
    random.idAt(createdAt),
    { userId: creator, organizationId, homeOrganizationId: organizationId },
    random.pick(stages.slice(0, 1)),
    {
      ...whoItIs(person, numbers, index, random),
      ...whoseItIs(users, creator, isImport, random),
      source: isImport ? 'Import' : random.pick(sources),
      isBulkImport: isImport,
      tags: [0, 1, 2].slice(0, random.below(4)).map(() => random.pick(tags)),
      customFields: customFields(person, random),
    },
    timestamp(createdAt),
  );
  const progress = random.next() * (0.55 + 0.6 * (age / span));
  const stage = stages[Math.min(stages.length - 1, Math.floor(progress * stages.length))];
  return stage === undefined || stage === stages[0]
    ? created
    : moved(created, stage, timestamp(after(createdAt, Math.floor(age * random.next()))));
}

function whoItIs(
  { firstName, lastName, region }: Person,
  numbers: NumberSource,
  index: number,
  random: Randomness,
): ContactFields {
  const labels = ['mobile', 'work'].slice(0, random.pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]));
  return {
    firstName,
    lastName,
    email: random.chance(0.8) ? emailOf(firstName, lastName, index) : null,
    phoneNumbers: labels.map((label) => ({ value: numbers(region), label, isPrimary: label === 'mobile' })),
  };
}

/** In Latin letters; names in other scripts give a number. */
export function emailOf(firstName: string, lastName: string, index: number): string {
  const latin = `${firstName}.${lastName}`
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z.]/g, '')
    .replace(/\.+/g, '.')
    .replace(/^\.+|\.+$/g, '');
  return `${latin === '' ? `contact.${index + 1}` : latin}@example.com`;
}

function whoseItIs(
  users: readonly string[],
  creator: string,
  isImport: boolean,
  random: Randomness,
): Pick<ContactFields, 'owner' | 'assignees'> {
  if (random.chance(isImport ? 0.6 : 0.06)) {
    return { owner: null };
  }
  const owner = isImport || random.chance(0.2) ? random.pick(users) : creator;
  return { owner, assignees: random.chance(0.12) ? [random.pick(users)] : [] };
}

function customFields({ city, company }: Person, random: Randomness): Record<string, unknown> {
  return {
    city,
    ...(random.chance(0.3) && { company }),
    ...(random.chance(0.6) && { budget: 250 * (1 + random.below(80)) }),
    ...(random.chance(0.6) && { newsletter: random.chance(0.5) }),
    ...(random.chance(0.3) && { interests: [random.pick(interests), random.pick(interests)] }),
  };
}

/** Two of three have written or been written to, most of them lately. */
export function engaged(
  contact: StoredContact,
  { users, now }: Pick<ContactsWanted, 'users' | 'now'>,
  random: Randomness,
): StoredContact {
  const age = now.getTime() - Date.parse(contact.createdAt);
  const silence = Math.floor(age * random.next() ** 2);
  if (random.chance(1 / 3) || age - silence < 10 * minute) {
    return contact;
  }
  const assignee = isUnassigned(contact) ? undefined : (contact.owner ?? contact.assignees[0]);
  return {
    ...contact,
    lastMessageAt: timestamp(after(now, -silence)),
    lastMessageDirection: random.chance(0.55) ? 'outbound' : 'inbound',
    conversationAssignees: [
      ...new Set([
        ...(assignee === undefined ? [] : [assignee]),
        ...(random.chance(0.1) ? [random.pick(users)] : []),
      ]),
    ],
  };
}
