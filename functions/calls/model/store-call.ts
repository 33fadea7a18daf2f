import { type Call, callKey } from '../../../shared/calls/call.ts';
import { listedActions } from '../../../shared/calls/call-entries.ts';
import { withEventActions } from '../../../shared/calls/call-event-actions.ts';
import { callEvents } from '../../../shared/calls/call-events.ts';
import { contactExists } from '../../../shared/contacts/contact.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import type { Counterparty } from './counterparty.ts';
import type { FoundCall } from './find-call.ts';

/** A new call with its contact and voice conversation. */
export interface StartedCall {
  readonly call: Call;
  readonly counterparty: Counterparty;
  /** Further actions of the transaction. */
  readonly more?: readonly Action[];
}

/** Stores a new call that is not missed, in one transaction. */
export async function storeCall(
  table: TableWriter,
  { call: started, counterparty, more = [] }: StartedCall,
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<Call> {
  const { state, newConversation } = counterparty;
  const { actions, events } = counterparty.writes(state);
  const allEvents = [...events, ...callEvents(undefined, started, state.contact, newConversation)];
  const { call, actions: eventActions } = withEventActions(table, undefined, started, allEvents, clock);
  await table.commit([
    ...actions,
    table.add(callKey(call._id), call),
    ...listedActions(table, call, true),
    ...more,
    ...eventActions,
  ]);
  return call;
}

export interface ChangedCall extends FoundCall {
  readonly after: Call;
}

/**
 * Stores a call after a change that did not make it missed, in one transaction with its events.
 * @throws `VersionConflict` when the call, or its contact, changes at the same moment.
 */
export async function storeChangedCall(
  table: TableWriter,
  { call, record, contact, after }: ChangedCall,
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<Call> {
  const events = callEvents(call, after, contact);
  const withEvents = withEventActions(table, call, after, events, clock);
  await table.commit([
    table.replace(record, withEvents.call),
    ...listedActions(table, withEvents.call, contact !== undefined),
    ...(contact === undefined ? [] : [contactExists(table, contact._id)]),
    ...withEvents.actions,
  ]);
  return withEvents.call;
}
