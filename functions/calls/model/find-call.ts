import { type Call, type CallRecord, callKey, callPeople, isDiscarded } from '../../../shared/calls/call.ts';
import { contactIdIn, contactKey } from '../../../shared/contacts/contact.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { scopeOf, sees } from '../../../shared/visibility.ts';

export interface FoundCall {
  readonly call: Call;
  /** Where it is stored, with the version by which a change of it is conditioned. */
  readonly record: Stored<CallRecord>;
  /** False when the contact was deleted: its calls stay. */
  readonly isContactThere: boolean;
}

/** A call that the caller may see: one's own, or of a contact in one's scope. @throws the 404 of a missing one otherwise. */
export async function findCall(table: TableReader, caller: Caller, id: string): Promise<FoundCall> {
  const [record, contact, scope] = await Promise.all([
    table.read(callKey(id)),
    table.read(contactKey(contactIdIn(id))),
    scopeOf(caller, table),
  ]);
  const call = record?.data;
  if (record === undefined || call === undefined || isDiscarded(call)) {
    throw notFound('Call');
  }
  if (!sees(scope, callPeople(call, contact?.data))) {
    throw notFound('Call');
  }
  return { call, record, isContactThere: contact !== undefined };
}
