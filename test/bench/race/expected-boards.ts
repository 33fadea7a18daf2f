import { isDeepStrictEqual } from 'node:util';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { boardRequest, pageSize, type SearchKind, type Sent, searchKinds } from './requests.ts';

/** The part of a column that is checked. */
export interface ColumnTruth {
  readonly total: number;
  /** The ids on the first page, in order. */
  readonly ids: readonly string[];
}

/** Columns by the name of their stage, in order. */
export type BoardTruth = Readonly<Record<string, ColumnTruth>>;

interface Stage {
  readonly _id: string;
  readonly name: string;
}

/** Text as a search compares it: a second implementation of the contract. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');

/** The board of all contacts, or of those that a search finds. `contacts` are newest first. */
export function boardTruth(
  stages: readonly Stage[],
  contacts: readonly StoredContact[],
  search?: string,
): BoardTruth {
  const found = search === undefined ? contacts : contacts.filter((contact) => matches(contact, search));
  const byStage = Map.groupBy(found, ({ stageId }) => stageId);
  return Object.fromEntries(
    stages.map(({ _id, name }) => {
      const column = byStage.get(_id) ?? [];
      return [name, { total: column.length, ids: column.slice(0, pageSize).map((contact) => contact._id) }];
    }),
  );
}

function matches({ firstName, lastName, phoneNumbers }: StoredContact, search: string): boolean {
  return (
    [`${firstName} ${lastName}`, `${lastName} ${firstName}`].some((name) =>
      folded(name).includes(folded(search)),
    ) || phoneNumbers.some(({ value }) => value.includes(search))
  );
}

/** Texts to search for: one in many names, digits of few contacts, and one that no contact has. */
export function searchesOver(contacts: readonly StoredContact[]): Record<SearchKind, string> {
  const number = contacts.flatMap(({ phoneNumbers }) => phoneNumbers)[0]?.value;
  if (number === undefined) {
    throw new Error('No contact has a phone number.');
  }
  return { 'first hits': 'mar', 'rare digits': number.slice(-7), 'no hit': 'zzqxj' };
}

/** A request, and what its response must contain. */
export interface Check {
  readonly name: string;
  readonly request: Sent;
  readonly truth: BoardTruth;
}

export function checksOf(
  stages: readonly Stage[],
  contacts: readonly StoredContact[],
  searches: Readonly<Record<SearchKind, string>>,
): Check[] {
  return [
    { name: 'the board', request: boardRequest(), truth: boardTruth(stages, contacts) },
    ...searchKinds.map((kind) => ({
      name: `the search for "${searches[kind]}"`,
      request: boardRequest(searches[kind]),
      truth: boardTruth(stages, contacts, searches[kind]),
    })),
  ];
}

/** The differences of a board in a response, one sentence for each column; empty if there are none. */
export function differences(body: unknown, truth: BoardTruth): string[] {
  const { data = {} } = body as { data?: Record<string, { total: number; contacts: { _id: string }[] }> };
  if (!isDeepStrictEqual(Object.keys(data), Object.keys(truth))) {
    return [`the columns are ${Object.keys(data).join(', ')} instead of ${Object.keys(truth).join(', ')}`];
  }
  return Object.entries(truth).flatMap(([stage, { total, ids }]) => {
    const column = data[stage];
    const actual = column?.contacts.map(({ _id }) => _id) ?? [];
    return [
      ...(column?.total === total ? [] : [`${stage} has a total of ${column?.total} instead of ${total}`]),
      ...(isDeepStrictEqual(actual, ids) ? [] : [`${stage} shows other contacts on its first page`]),
    ];
  });
}
