import { moved, newContact, type StoredContact } from '../../shared/contacts/contact.ts';
import type { ContactFields } from '../../shared/contacts/contact-fields.ts';
import type { StageRef } from '../../shared/contacts/stages.ts';
import { after, day, minute, timestamp } from '../../shared/kernel/time.ts';
import { type Randomness, randomness } from '../harness/randomness.ts';
import { type Person, people } from './names.ts';

export interface GeneratedContactOptions {
  readonly organizationId: string;
  readonly count: number;
  /** The stages of one pipeline, in order: contacts enter the first and move on as they age. */
  readonly stages: readonly StageRef[];
  /** Ids of the users who create, own and are assigned to contacts; the first one imports some in bulk. */
  readonly users: readonly string[];
  /** The same seed makes the same contacts. */
  readonly seed: number;
  /** All contacts are created, and all messages written, in the 90 days before. */
  readonly now: Date;
}

interface Owned {
  readonly owner: string | null;
  readonly assignees: string[];
}

/** The age of the oldest contact. */
const span = 90 * day;
/** How many days ago contacts were imported in bulk; all contacts of an import have the same time. */
const imports = [61, 33, 12] as const;

const sources = ['Website', 'Referral', 'Trade fair', 'Newsletter', 'Outreach', 'Webchat', 'Incoming Call'];
const tags = ['vip', 'wholesale', 'retail', 'callback', 'price list', 'returning', 'on hold'];
const interests = ['coffee', 'tea', 'ceramics', 'textiles', 'furniture', 'lighting'];

/** Yields contacts as the operations would have left them, the oldest first, except for imported ones. */
export function* generatedContacts(
  wanted: GeneratedContactOptions,
): Generator<StoredContact, void, undefined> {
  const random = randomness(wanted.seed);
  const nextPerson = people(wanted.seed, random);
  for (let index = 0; index < wanted.count; index += 1) {
    yield contactOf(wanted, nextPerson(), index, random);
  }
}

function contactOf(
  { organizationId, count, stages, users, now }: GeneratedContactOptions,
  person: Person,
  index: number,
  random: Randomness,
): StoredContact {
  const isImport = random.chance(0.12);
  const age = isImport
    ? random.pick(imports) * day
    : Math.floor((span * (count - index - random.next())) / count);
  const createdAt = after(now, -age);
  const userId = isImport ? (users[0] ?? '') : random.pick(users);
  const _id = random.idAt(createdAt);
  const fields = {
    ...personOf(person, index, random),
    ...ownersOf(users, userId, isImport, random),
    source: isImport ? 'Import' : random.pick(sources),
    isBulkImport: isImport,
    tags: [0, 1, 2].slice(0, random.below(4)).map(() => random.pick(tags)),
    customFields: customFields(person, random),
  };
  const progress = random.next() * (0.55 + 0.6 * (age / span));
  const stage = Math.min(stages.length - 1, Math.floor(progress * stages.length));
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  const created = newContact(_id, creator, stageRefAt(stages, 0), fields, timestamp(createdAt));
  const contact =
    stage === 0
      ? created
      : moved(
          created,
          stageRefAt(stages, stage),
          timestamp(after(createdAt, Math.floor(age * random.next()))),
        );
  return { ...contact, ...lastMessage(fields, createdAt, { users, now }, random) };
}

function personOf({ firstName, lastName }: Person, index: number, random: Randomness): ContactFields {
  const labels = ['mobile', 'work'].slice(0, random.pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]));
  const phoneNumbers = labels.map((label, at) => ({
    value: unassignedNumber(2 * index + at + 1),
    label,
    isPrimary: label === 'mobile',
  }));
  return {
    firstName,
    lastName,
    email: random.chance(0.8) ? emailOf(firstName, lastName, index) : null,
    phoneNumbers,
  };
}

/** An email address in Latin letters; names in other scripts become a number. */
function emailOf(firstName: string, lastName: string, index: number): string {
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

/** The fields that the last message of a contact sets: two of three contacts have one, mostly a recent one. */
function lastMessage(
  { owner, assignees }: Owned,
  createdAt: Date,
  { users, now }: Pick<GeneratedContactOptions, 'users' | 'now'>,
  random: Randomness,
): Partial<StoredContact> {
  const age = now.getTime() - createdAt.getTime();
  const silence = Math.floor(age * random.next() ** 2);
  if (random.chance(1 / 3) || age - silence < 10 * minute) {
    return {};
  }
  const assignee = owner ?? assignees[0];
  return {
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

function stageRefAt(stages: readonly StageRef[], index: number): StageRef {
  const stageRef = stages[index];
  if (stageRef === undefined) {
    throw new Error('Contacts need a stage to be in');
  }
  return stageRef;
}

/** One of a billion numbers of a country code that no country has: there are more contacts than numbers reserved for fiction. */
function unassignedNumber(index: number): string {
  return `+999${String((index * 617_441) % 1_000_000_000).padStart(9, '0')}`;
}
