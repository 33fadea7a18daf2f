import { type Call, callKey } from '../../../shared/calls/call.ts';
import { listedSteps } from '../../../shared/calls/call-entries.ts';
import { withEventSteps } from '../../../shared/calls/call-event-steps.ts';
import { callEvents } from '../../../shared/calls/call-events.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
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
  { call: started, counterparty, more = [] }: StartedCall,
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<Call> {
  const { state, newConversation } = counterparty;
  const { steps, events } = counterparty.writes(state);
  const allEvents = [...events, ...callEvents(undefined, started, state.contact, newConversation)];
  const { call, steps: telling } = withEventSteps(table, undefined, started, allEvents, clock);
  await table.commit([
    ...steps,
    table.add(callKey(call._id), call),
    ...listedSteps(table, call, true),
    ...more,
    ...telling,
  ]);
  return call;
}
