import type { Call } from '../../../shared/calls/call.ts';
import { callEntryKey, contactCallKey } from '../../../shared/calls/call.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';

/**
 * A call is listed whole under everybody's calls, under its user's and in the history of its contact: lists are read far more
 * often than calls change, and a filter can look at them without another read.
 */
function entriesOf({ _id, userId }: Call): Key<Call>[] {
  return [callEntryKey(['all'], _id), callEntryKey(['user', userId], _id)];
}

/** The steps that list a call beside the step that writes its record; `isContactThere` is false for a contact deleted meanwhile. */
export function listedSteps(table: TableWriter, call: Call, isContactThere: boolean): Step[] {
  const history = isContactThere ? [contactCallKey(call.contactId, call._id)] : [];
  return [...entriesOf(call), ...history].map((key) => table.put(key, call));
}

/** The steps that list it no more. */
export function unlistedSteps(table: TableWriter, call: Call): Step[] {
  return [...entriesOf(call), contactCallKey(call.contactId, call._id)].map((key) => table.delete(key));
}
