import { readColumns } from '../../../../shared/board/board.ts';
import { type BoardViewer, planBoard } from '../../../../shared/board/board-plan.ts';
import type { BoardQuery } from '../../../../shared/board/board-query.ts';
import { numberDigits } from '../../../../shared/column-index/text-search.ts';
import { type Contact, contactKey, type StoredContact } from '../../../../shared/contacts/contact.ts';
import { emailDigest, emailEntryRange } from '../../../../shared/contacts/lookup-keys.ts';
import type { Pipelines } from '../../../../shared/contacts/pipeline.ts';
import { withoutPlaceholderName } from '../../../../shared/contacts/placeholder-contact.ts';
import { stagesById } from '../../../../shared/contacts/stages.ts';
import { toContactResponse } from '../../../../shared/contacts/to-contact-response.ts';
import { parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import { searchFolded } from '../../../../shared/kernel/names/folded.ts';
import { involvedPeople, scopeAmong, sees } from '../../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';

/** Why two contacts may be one person, the strongest reason first. */
export const duplicateReasons = ['phone', 'email', 'name'] as const;
export type DuplicateReason = (typeof duplicateReasons)[number];

export interface Duplicate {
  readonly contact: Contact;
  readonly reasons: DuplicateReason[];
}

/** A number is written with or without its country code, so that only its end is compared. */
const comparedDigits = 8;

const mostDuplicates = 50;

type Compared = Pick<StoredContact, '_id' | 'firstName' | 'lastName' | 'email' | 'phoneNumbers' | 'source'>;

/** What is compared of a contact. */
interface Traits {
  /** The ends of its numbers. */
  readonly phone: readonly string[];
  /** The digest of its address. */
  readonly email: readonly string[];
  /** First and last name, unless one of them is missing or only says how the contact came about. */
  readonly name: readonly string[];
}

function toTraits(contact: Compared): Traits {
  const { firstName, lastName } = withoutPlaceholderName(contact);
  const names = [firstName, lastName].map((name) => searchFolded(name).trim());
  const digits = contact.phoneNumbers.map(({ value }) => numberDigits(value));
  return {
    phone: [
      ...new Set(
        digits.filter(({ length }) => length >= comparedDigits).map((one) => one.slice(-comparedDigits)),
      ),
    ],
    email: contact.email === null ? [] : [emailDigest(contact.email)],
    name: names.includes('') ? [] : [names.join(' ')],
  };
}

function reasonsFor(traits: Traits, other: Compared): DuplicateReason[] {
  const others = toTraits(other);
  return duplicateReasons.filter((reason) => traits[reason].some((one) => others[reason].includes(one)));
}

/** Two reasons are stronger than any single one. */
const weights: Readonly<Record<DuplicateReason, number>> = { phone: 4, email: 3, name: 2 };

const strength = ({ reasons }: Duplicate) => reasons.reduce((sum, reason) => sum + weights[reason], 0);

/**
 * The contacts in the viewer's scope that may be the same person as this one, the strongest reasons first and of equal ones the oldest
 * contact. Each name and number is looked for as on the board of every pipeline.
 */
export async function readDuplicates(
  table: TableReader,
  contact: StoredContact,
  pipelines: Stored<Pipelines>,
  viewer: BoardViewer,
  now: Date,
): Promise<Duplicate[]> {
  const traits = toTraits(contact);
  const searches = [...traits.phone, ...traits.name];
  const candidates = await Promise.all([
    ...traits.email.map((digest) => readByEmail(table, digest, pipelines.data, viewer)),
    ...pipelines.data.pipelines
      .filter(({ type }) => type === 'Contact')
      .map((pipeline) => readCandidates(table, searches, pipeline._id, pipelines, viewer, now)),
  ]);
  const others = new Map(candidates.flat().map((other) => [other._id, other]));
  others.delete(contact._id);
  return [...others.values()]
    .map((other): Duplicate => ({ contact: other, reasons: reasonsFor(traits, other) }))
    .filter(({ reasons }) => reasons.length > 0)
    .sort((one, other) => strength(other) - strength(one) || inOrder(one.contact._id, other.contact._id))
    .slice(0, mostDuplicates);
}

const inOrder = (one: string, other: string) => (one < other ? -1 : 1);

/** The contacts of a pipeline that these searches find, one search after the other: each uses the index that the first has loaded. */
async function readCandidates(
  table: TableReader,
  searches: readonly string[],
  pipelineId: string,
  { data, version }: Stored<Pipelines>,
  viewer: BoardViewer,
  now: Date,
): Promise<Contact[]> {
  const stages = stagesById(data.pipelines);
  const found: Contact[] = [];
  for (const search of searches) {
    const query: BoardQuery = { ...anywhere, pipelineId, search };
    const plan = planBoard(query, data.pipelines, viewer, now);
    const board = { plan, customFields: [], stages, pipelinesVersion: version };
    const pages = await readColumns(table, board, now);
    found.push(...[...pages.values()].flatMap(({ contacts }) => parseJson(contacts) as Contact[]));
  }
  return found;
}

/** Contacts with one address that are looked at: the oldest. */
const mostWithEmail = 100;

/** The contacts with an email address, those in the viewer's scope. */
async function readByEmail(
  table: TableReader,
  digest: string,
  { pipelines }: Pipelines,
  { caller, users }: BoardViewer,
): Promise<Contact[]> {
  const entries = await table.list(emailEntryRange(digest), { limit: mostWithEmail });
  const found = await table.readMany(entries.map(({ data }) => contactKey(data.contactId)));
  const [scope, stages] = [scopeAmong(caller, users), stagesById(pipelines)];
  return found
    .flatMap((stored) => stored?.data ?? [])
    .filter((contact) => sees(scope, involvedPeople(contact)))
    .map((contact) => toContactResponse(contact, stages.get(contact.stageId)));
}

/** The query of a board of everything that the viewer may see. */
export const anywhere = {
  // One more: the contact itself may be among them.
  size: mostDuplicates + 1,
  ownerFilter: 'all',
  pipelineType: 'Contact',
} satisfies BoardQuery;
