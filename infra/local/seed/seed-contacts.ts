import type { ContactFields } from '../../../shared/contacts/contact-fields.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import { after, day, minute } from '../../../shared/kernel/time.ts';
import { peopleOf } from '../../../shared/organizations/visibility.ts';
import { type Person, people } from './names.ts';
import type { NumberSource } from './phone-numbers.ts';
import { type Randomness, randomness } from './randomness.ts';

/** A contact of the sample data, with its history in short. */
export interface SeedContact {
  readonly _id: string;
  readonly createdAt: Date;
  /** The id of a user. */
  readonly createdBy: string;
  /** The outreach configuration of the lead that creates the contact, if one does. */
  readonly configurationId?: string;
  readonly fields: ContactFields & Owned;
  /** The last move to another stage, by its place in the pipeline; undefined for a contact in the first stage. */
  readonly move: { readonly stage: number; readonly at: Date } | undefined;
  /** Undefined for a contact without messages. */
  readonly lastMessage: LastMessage | undefined;
  /** Whether the last message opts out of text messages. */
  readonly optsOut?: boolean;
}

interface Owned {
  readonly owner: string | null;
  readonly assignees: string[];
}

/** The last message of a contact, and the assignees of its conversation. */
export interface LastMessage {
  readonly at: Date;
  readonly direction: Direction;
  readonly assignees: string[];
}

export interface SeedContactOptions {
  readonly count: number;
  /** The number of stages of the pipeline: contacts enter the first and move on as they age. */
  readonly stages: number;
  /** The ids of the users who create and own contacts and are assigned to them. */
  readonly users: readonly string[];
  /** The id of the user who imports contacts in bulk. */
  readonly importer: string;
  /** The same seed makes the same contacts. */
  readonly seed: number;
  /** All contacts are created, and all messages written, in the 90 days before. */
  readonly now: Date;
  /** The age of the newest contact is at least this, in milliseconds. */
  readonly newestAge: number;
  readonly numbers: NumberSource;
}

/** The age of the oldest contact. */
const span = 90 * day;
/** How many days ago contacts were imported in bulk; all contacts of an import have the same time. */
const imports = [61, 33, 12] as const;

const sources = ['Website', 'Referral', 'Trade fair', 'Newsletter', 'Outreach', 'Webchat', 'Incoming Call'];
const tags = ['vip', 'wholesale', 'retail', 'callback', 'price list', 'returning', 'on hold'];
const interests = ['coffee', 'tea', 'ceramics', 'textiles', 'furniture', 'lighting'];

/** Contacts of the sample data, the oldest first except for those of imports. */
export function* seedContacts(wanted: SeedContactOptions): Generator<SeedContact, void, undefined> {
  const random = randomness(wanted.seed);
  const nextPerson = people(wanted.seed, random);
  for (let index = 0; index < wanted.count; index += 1) {
    yield seedContact(wanted, nextPerson(), index, random);
  }
}

function seedContact(
  { count, stages, users, importer, now, newestAge, numbers }: SeedContactOptions,
  person: Person,
  index: number,
  random: Randomness,
): SeedContact {
  const isImport = random.chance(0.12);
  const age = isImport
    ? random.pick(imports) * day
    : Math.floor(newestAge + ((span - newestAge) * (count - index - random.next())) / count);
  const createdAt = after(now, -age);
  const createdBy = isImport ? importer : random.pick(users);
  const _id = random.idAt(createdAt);
  const fields = {
    ...personOf(person, numbers, index, random),
    ...ownersOf(users, createdBy, isImport, random),
    source: isImport ? 'Import' : random.pick(sources),
    isBulkImport: isImport,
    tags: [0, 1, 2].slice(0, random.below(4)).map(() => random.pick(tags)),
    customFields: customFields(person, random),
  };
  const progress = random.next() * (0.55 + 0.6 * (age / span));
  const stage = Math.min(stages - 1, Math.floor(progress * stages));
  return {
    _id,
    createdAt,
    createdBy,
    fields,
    move: stage === 0 ? undefined : { stage, at: after(createdAt, Math.floor(age * random.next())) },
    lastMessage: lastMessage(fields, createdAt, { users, now }, random),
  };
}

function personOf(
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

/** An email address in Latin letters; names in other scripts become a number. */
export function emailOf(firstName: string, lastName: string, index: number): string {
  const latin = `${firstName}.${lastName}`
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z.]/g, '')
    .replace(/\.+/g, '.')
    .replace(/^\.+|\.+$/g, '');
  return `${latin === '' ? `contact.${index + 1}` : latin}@example.com`;
}

function ownersOf(users: readonly string[], creator: string, isImport: boolean, random: Randomness): Owned {
  if (random.chance(isImport ? 0.6 : 0.06)) {
    return { owner: null, assignees: [] };
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

/** The last message of a contact: two of three contacts have one, mostly a recent one. */
export function lastMessage(
  { owner, assignees }: Owned,
  createdAt: Date,
  { users, now }: Pick<SeedContactOptions, 'users' | 'now'>,
  random: Randomness,
): LastMessage | undefined {
  const age = now.getTime() - createdAt.getTime();
  const silence = Math.floor(age * random.next() ** 2);
  if (random.chance(1 / 3) || age - silence < 10 * minute) {
    return undefined;
  }
  const assignee = owner ?? assignees[0];
  return {
    at: after(now, -silence),
    direction: random.chance(0.55) ? 'outbound' : 'inbound',
    assignees: [
      ...new Set([
        ...(assignee === undefined ? [] : [assignee]),
        ...(random.chance(0.1) ? [random.pick(users)] : []),
      ]),
    ],
  };
}

/** The users involved with the contact. */
export function peopleAround({ createdBy, fields: { owner, assignees } }: SeedContact): string[] {
  return peopleOf({ createdBy, owner, assignees });
}

/** The user who works with the contact. */
export function responsibleUser({ createdBy, fields: { owner } }: SeedContact): string {
  return owner ?? createdBy;
}
