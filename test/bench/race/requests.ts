import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { HttpRequest } from '../http-client.ts';
import type { RacingOrganization } from './contestant.ts';

/** The rows of the tables, by their names for `--only`. Those that change contacts come last. */
export const works = {
  board: 'board, warm',
  search: 'search, a new text each time',
  create: 'contact create',
  move: 'contact move',
} as const;

export type Work = keyof typeof works;

export const workNames = Object.keys(works) as Work[];

/** Contacts on a page of a column. */
const pageSize = 20;

export function boardRequest(search?: string): HttpRequest {
  const body = { size: pageSize, ...(search === undefined ? {} : { search }) };
  return { method: 'POST', path: '/api/contacts', body };
}

/** Makes requests without tokens, of which none repeats a phone number or a move. */
export function requestsAbout(
  { stages }: RacingOrganization,
  contacts: readonly StoredContact[],
): Record<Work, () => HttpRequest> {
  const parts = trigramsOf(contacts);
  let turn = 0;
  return {
    board: () => boardRequest(),
    search: () => boardRequest(parts[++turn % parts.length]),
    create: () => {
      turn += 1;
      const body = {
        firstName: 'Grace',
        lastName: `Hopper ${turn}`,
        email: 'grace@example.com',
        // No country has this code, and so no other contact this number.
        phoneNumbers: [{ value: `+998${String(turn).padStart(9, '0')}`, label: 'mobile' }],
        source: 'Referral',
        tags: ['vip'],
        customFields: { city: 'Arlington' },
      };
      return { method: 'POST', path: '/api/contacts/create', body };
    },
    move: () => {
      turn += 1;
      const round = Math.floor(turn / contacts.length);
      const contact = contacts[turn % contacts.length];
      const stage = stages.findIndex(({ _id }) => _id === contact?.stageId) + 1 + round;
      const body = { stageId: stages[stage % stages.length]?._id };
      return { method: 'PUT', path: `/api/contacts/${contact?._id}/stage`, body };
    },
  };
}

/** Three letters of names: more texts than any process caches searches for. */
function trigramsOf(contacts: readonly StoredContact[]): string[] {
  const names = new Set(contacts.flatMap(({ firstName, lastName }) => [firstName, lastName]));
  const parts = [...names].flatMap((name) =>
    Array.from({ length: Math.max(0, name.length - 2) }, (_, at) => name.slice(at, at + 3).toLowerCase()),
  );
  return [...new Set(parts)];
}
