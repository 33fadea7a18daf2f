import { digitsOf, looksLikeNumber } from '../../../shared/contacts/phone-numbers.ts';
import { folded } from '../../../shared/folded.ts';
import { after, day, hour, timestamp } from '../../../shared/time.ts';
import { lies } from '../../../shared/time-range.ts';
import type { BoardQuery } from './board-query.ts';
import type { BoardContact } from './board-row.ts';
import { customFieldsFilter } from './custom-filters.ts';

export type Predicate = (contact: BoardContact) => boolean;

export function bothOf(a: Predicate | undefined, b: Predicate | undefined): Predicate | undefined {
  return a && b ? (contact) => a(contact) && b(contact) : (a ?? b);
}

/**
 * One predicate for all filters of a query that look at the contact itself; undefined when there are none. Whom the contact
 * belongs to and when it was created are not asked here: views and their order tell. Nor is its source, for which the
 * pipeline must be known.
 */
export async function predicateOf(query: BoardQuery, now: Date): Promise<Predicate | undefined> {
  const predicates = [
    searchFilter(query.search),
    assigneeFilter(query.assignee),
    await customFieldsFilter(query.customFilters),
    query.bulkOnly ? (contact: BoardContact) => contact.isBulkImport : undefined,
    messageStatusFilter(query.messageStatus),
    silenceFilter(query.lastMessageTimeRange, now),
    lastMessageFilter(query.lastMessageDateRange),
  ].filter((predicate) => predicate !== undefined);
  return predicates.length === 0
    ? undefined
    : (contact) => predicates.every((predicate) => predicate(contact));
}

function searchFilter(search: string | undefined): Predicate | undefined {
  const wanted = folded(search?.trim() ?? '');
  if (wanted === '') {
    return undefined;
  }
  // Letters in the search rule out a phone number; "(555) 123" is one however it is written.
  const digits = looksLikeNumber(wanted) ? digitsOf(wanted) : undefined;
  return ({ firstName, lastName, phoneNumbers }) => {
    const first = folded(firstName);
    const last = folded(lastName);
    return (
      first.includes(wanted) ||
      last.includes(wanted) ||
      `${first} ${last}`.includes(wanted) ||
      phoneNumbers.some(
        ({ value }) => value.includes(wanted) || (digits !== undefined && digitsOf(value).includes(digits)),
      )
    );
  };
}

/** Boards of contacts alone have it. Source: specification, POST /api/contacts. */
export function sourceFilter(source: BoardQuery['source']): Predicate | undefined {
  return source === undefined ? undefined : (contact) => contact.source === source;
}

function assigneeFilter(ids: readonly string[] | undefined): Predicate | undefined {
  if (ids === undefined || ids.length === 0) {
    return undefined;
  }
  const wanted = new Set(ids);
  return ({ conversationAssignees }) => conversationAssignees.some((id) => wanted.has(id));
}

function messageStatusFilter(status: BoardQuery['messageStatus']): Predicate | undefined {
  if (status === undefined || status === 'all') {
    return undefined;
  }
  const direction = status === 'answered' ? 'outbound' : 'inbound';
  return (contact) => contact.lastMessageDirection === direction;
}

function silenceFilter(range: BoardQuery['lastMessageTimeRange'], now: Date): Predicate | undefined {
  if (range === undefined) {
    return undefined;
  }
  const since = timestamp(after(now, -range.value * (range.unit === 'days' ? day : hour)));
  return ({ lastMessageAt }) => lastMessageAt === null || lastMessageAt < since;
}

function lastMessageFilter(range: BoardQuery['lastMessageDateRange']): Predicate | undefined {
  if (range === undefined || (range.from === undefined && range.to === undefined)) {
    return undefined;
  }
  return ({ lastMessageAt }) => lastMessageAt !== null && lies(lastMessageAt, range);
}
