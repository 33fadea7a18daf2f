import { type Call, callKey } from '../../../shared/calls/call.ts';
import { eventSteps } from '../../../shared/live/outbox.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { listedSteps } from './call-entries.ts';
import { callEvents } from './call-events.ts';
import type { Counterparty } from './counterparty.ts';

/** A new call with its contact and voice conversation. */
export interface StartedCall {
  readonly call: Call;
  readonly counterparty: Counterparty;
  /** Further steps of the transaction. */
  readonly more?: readonly Step[];
}

/** Stores a new call that is not missed, in one transaction. */
export async function storeCall(
  table: TableWriter,
  { call, counterparty, more = [] }: StartedCall,
  eventIds: readonly string[],
  now: Date,
): Promise<Call> {
  const { state } = counterparty;
  const { steps, events } = counterparty.writes(state);
  await table.commit([
    ...steps,
    table.add(callKey(call._id), call),
    ...listedSteps(table, call, true),
    ...more,
    ...eventSteps(table, [...events, ...callEvents(undefined, call, state.contact)], eventIds, now),
  ]);
  return call;
}
