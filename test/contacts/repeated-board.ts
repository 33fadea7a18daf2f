import type { ContactsClient } from './client.ts';

export const search = { search: 'ada' };

/** The two ways in which a board is read: by its lists, and by the index. */
export const kinds: [string, object][] = [
  ['the plain board', {}],
  ['a search', search],
];

/** Boards at moments of one story, which are milliseconds from its start. */
export function boardsSince(start: number) {
  const at = (milliseconds: number) => new Date(start + milliseconds);

  /** Totals and last names by stage; stages in which nothing is found are left out. */
  async function found(contacts: ContactsClient, milliseconds: number, body: object = {}) {
    const board = await contacts.board({ ...body }, at(milliseconds));
    return Object.fromEntries(
      Object.entries(board)
        .filter(([, { total }]) => total > 0)
        .map(([stage, column]) => [
          stage,
          [column.total, ...column.contacts.map(({ lastName }) => lastName)],
        ]),
    );
  }

  /** Reads until the response is cached for good. */
  async function settle(contacts: ContactsClient, body: object): Promise<void> {
    for (const milliseconds of [0, 10, 1_100]) {
      await found(contacts, milliseconds, body);
    }
  }

  return { at, found, settle };
}
