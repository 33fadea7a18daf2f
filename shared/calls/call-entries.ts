import type { Key } from '../table/key.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { Call } from './call.ts';
import { callEntryKey, contactCallKey } from './call.ts';

/**
 * A whole call is in the list of all, in its user's list and in the history of its contact: lists are read far more often than
 * calls change, and filters need no second read.
 */
function entriesOf({ _id, userId }: Call): Key<Call>[] {
  return [callEntryKey(['all'], _id), callEntryKey(['user', userId], _id)];
}

/** The steps that write a call's list entries, beside its record; `isContactThere` is false for a contact deleted meanwhile. */
export function listedSteps(table: TableWriter, call: Call, isContactThere: boolean): Step[] {
  const history = isContactThere ? [contactCallKey(call.contactId, call._id)] : [];
  return [...entriesOf(call), ...history].map((key) => table.put(key, call));
}

/** The steps that delete a call's list entries. */
export function unlistedSteps(table: TableWriter, call: Call): Step[] {
  return [...entriesOf(call), contactCallKey(call.contactId, call._id)].map((key) => table.delete(key));
}
