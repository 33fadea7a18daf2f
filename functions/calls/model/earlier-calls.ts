import {
  type CallBack,
  callBackKey,
  type MissedCallText,
  missedCallTextKey,
} from '../../../shared/calls/missed-call.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

/** The results of earlier missed calls of a number. */
export interface EarlierCalls {
  readonly lastText: Stored<MissedCallText> | undefined;
  readonly callBack: Stored<CallBack> | undefined;
}

/** Reads it in one round trip; without a number there is nothing. */
export async function readEarlierCalls(
  table: TableReader,
  contactId: string,
  number: string | undefined,
): Promise<EarlierCalls> {
  const [lastText, callBack] = await Promise.all([
    readLastTextTo(table, contactId, number),
    number === undefined ? undefined : table.read(callBackKey(contactId, number)),
  ]);
  return { lastText, callBack };
}

/** The last missed-call text to this number of a contact; undefined without one, or without a number. */
export async function readLastTextTo(
  table: TableReader,
  contactId: string,
  number: string | undefined,
): Promise<Stored<MissedCallText> | undefined> {
  return number === undefined ? undefined : table.read(missedCallTextKey(contactId, number));
}
