import { incrementBase32 } from 'ulid';
import { eventActions, type NewEvent } from '../events/outbox.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import type { Action, TableWriter } from '../table/table.ts';
import type { Call } from './call.ts';

/**
 * A call as it is stored with the events that tell of its change, and the actions that write these. Events are replayed in the order of
 * their ids, so those of a call get later ids than the ones before them, also if the clocks of processes differ, or if a change that
 * began earlier is stored later. Each try of a change takes new ids; the condition on the call's version lets one of them be stored.
 */
export function withEventActions(
  table: TableWriter,
  before: Call | undefined,
  after: Call,
  events: readonly NewEvent[],
  { now, newId }: Pick<ClockAndIds, 'now' | 'newId'>,
): { readonly call: Call; readonly actions: readonly Action[] } {
  const { toldIn: lastEventId = '' } = before ?? {};
  const newest = newId();
  const first = newest > lastEventId ? newest : incrementBase32(lastEventId);
  const ids = [first];
  for (const _ of events.slice(1)) {
    ids.push(incrementBase32(ids.at(-1) ?? first));
  }
  return { call: { ...after, toldIn: ids.at(-1) ?? first }, actions: eventActions(table, events, ids, now) };
}
