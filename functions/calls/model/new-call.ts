import type { Caller } from '../../../shared/kernel/caller.ts';
import { childId } from '../../../shared/kernel/child-id.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import type { NewCall } from './call-states.ts';
import type { Counterparty } from './counterparty.ts';
import { type ChangeIds, newChangeIds } from './missed-call-context.ts';

/** Who makes or misses a call in the browser. */
export type CallContext = ClockAndIds & { readonly table: TableWriter; readonly caller: Caller };

/** Ids that all tries use. */
export interface NewCallIds {
  readonly contact: string;
  readonly conversation: string;
  readonly call: string;
  readonly change: ChangeIds;
}

export function newCallIds(clock: ClockAndIds): NewCallIds {
  const { newId } = clock;
  return { call: newId(), contact: newId(), conversation: newId(), change: newChangeIds(clock) };
}

/** A call between a user and a contact. */
export function newCallBetween(
  sides: Pick<NewCall, 'direction' | 'provider' | 'providerCallId' | 'number' | 'own'>,
  { state: { contact }, conversationId }: Counterparty,
  ids: NewCallIds,
  { organizationId, userId }: Pick<Caller, 'organizationId' | 'userId'>,
): NewCall {
  const { _id: contactId } = contact;
  return { _id: childId(contactId, ids.call), ...sides, contactId, conversationId, organizationId, userId };
}
