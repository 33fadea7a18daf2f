import { subscriptionKey, type WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The action by which events reach the endpoint from now on, or no longer, in the transaction that changes the endpoint. */
export function subscriptionAction(
  table: TableWriter,
  { _id, events, activation, lane, isActive }: WebhookEndpoint,
): Action {
  const key = subscriptionKey(_id);
  return isActive ? table.put(key, { _id, events, activation, lane }) : table.delete(key);
}
