import {
  type Call,
  type CallStatus,
  callEntryRange,
  callPeople,
  contactCallRange,
} from '../../../shared/calls/call.ts';
import { owns, partitionsWith, readContact } from '../../../shared/contacts/holdings.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { Paging } from '../../../shared/kernel/schemas/paging.ts';
import type { PersonalView } from '../../../shared/organizations/views.ts';
import { readScope, type Scope, sees, viewsOfScope } from '../../../shared/organizations/visibility.ts';
import { type MergedPage, readMergedPage } from '../../../shared/table/merged-page.ts';
import type { TableReader } from '../../../shared/table/table.ts';

export interface CallQuery extends Paging {
  readonly contactId?: string | undefined;
  readonly userId?: string | undefined;
  readonly status?: CallStatus | undefined;
}

/** One page of the calls that the caller may see, newest first: with one contact, or of the users in the caller's scope. */
export async function readCallPage(
  table: TableReader,
  caller: Caller,
  query: CallQuery,
): Promise<MergedPage<Call>> {
  return query.contactId === undefined
    ? pageOfUsers(table, await readScope(caller, table), query)
    : pageOfContact(table, caller, query.contactId, query);
}

async function pageOfContact(
  table: TableReader,
  caller: Caller,
  contactId: string,
  query: CallQuery,
): Promise<MergedPage<Call>> {
  const [contact, scope] = await Promise.all([readContact(table, contactId), readScope(caller, table)]);
  if (contact?.data._id !== contactId) {
    return { records: [], nextCursor: null };
  }
  const isVisible = (call: Call) => sees(scope, callPeople(call, contact.data));
  return page(table, partitionsWith(contact.data).map(contactCallRange), query, [
    ...(scope.kind === 'organization' ? [] : [isVisible]),
    ...(contact.data.holdings === undefined ? [] : [(call: Call) => owns(contact.data, call.contactId)]),
    ...(query.userId === undefined ? [] : [(call: Call) => call.userId === query.userId]),
  ]);
}

async function pageOfUsers(table: TableReader, scope: Scope, query: CallQuery): Promise<MergedPage<Call>> {
  const views = viewsOf(scope, query.userId);
  const isVisible = (call: Call) => sees(scope, [call.userId]);
  const isEverybodys = views.some(([kind]) => kind === 'all');
  return page(
    table,
    views.map((view) => callEntryRange(view)),
    query,
    isEverybodys && scope.kind === 'users' ? [isVisible] : [],
  );
}

function viewsOf(scope: Scope, userId: string | undefined): PersonalView[] {
  if (userId !== undefined) {
    return sees(scope, [userId]) ? [['user', userId]] : [];
  }
  return viewsOfScope(scope);
}

function page(
  table: TableReader,
  of: Parameters<typeof readMergedPage<Call>>[1],
  { status, limit, cursor }: CallQuery,
  conditions: readonly ((call: Call) => boolean)[],
): Promise<MergedPage<Call>> {
  const all = status === undefined ? conditions : [...conditions, (call: Call) => call.status === status];
  const matches = (call: Call) => all.every((condition) => condition(call));
  return readMergedPage(table, of, {
    limit,
    cursor,
    consistent: true,
    ...(all.length === 0 ? {} : { matches }),
  });
}
