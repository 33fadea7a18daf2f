import type { Key } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import type { Call } from './call.ts';
import { callEntryKey, contactCallKey } from './call.ts';

/**
 * A whole call is in the list of all, in its user's list and in the history of its contact: lists are read far more often than
 * calls change, and filters need no second read.
 */
function entriesOf({ _id, userId }: Call): Key<Call>[] {
  return [callEntryKey(['all'], _id), callEntryKey(['user', userId], _id)];
}

/** The actions that write a call's list entries, beside its record; `isContactThere` is false if its contact was deleted. */
export function listedActions(table: TableWriter, call: Call, isContactThere: boolean): Action[] {
  const history = isContactThere ? [contactCallKey(call._id)] : [];
  return [...entriesOf(call), ...history].map((key) => table.put(key, call));
}

/** The actions that delete a call's list entries. */
export function unlistedActions(table: TableWriter, call: Call): Action[] {
  return [...entriesOf(call), contactCallKey(call._id)].map((key) => table.delete(key));
}
