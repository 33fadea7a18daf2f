import { type Call, type CallRecord, callKey, callPeople, isDiscarded } from '../../../shared/calls/call.ts';
import { contactKey, type StoredContact } from '../../../shared/contacts/contact.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import { readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

export interface FoundCall {
  readonly call: Call;
  /** The stored record, whose version conditions a change. */
  readonly record: Stored<CallRecord>;
  /** Undefined if the contact was deleted; its calls stay. */
  readonly contact: StoredContact | undefined;
}

/** A call of the caller, or of a contact that the caller may see. @throws a 404 `Failure` otherwise. */
export async function findCall(table: TableReader, caller: Caller, id: string): Promise<FoundCall> {
  const [record, home, scope] = await Promise.all([
    table.read(callKey(id)),
    table.read(contactKey(contactIdIn(id))),
    readScope(caller, table),
  ]);
  const call = record?.data;
  if (record === undefined || call === undefined || isDiscarded(call)) {
    throw notFound('Call');
  }
  const contact = (await readOwner(table, call, home))?.data;
  if (!sees(scope, callPeople(call, contact))) {
    throw notFound('Call');
  }
  return { call, record, contact };
}
