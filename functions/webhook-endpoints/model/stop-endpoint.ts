import { logAction } from '../../../shared/events/log-entry.ts';
import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { findAdmins } from '../../../shared/notifications/find-admins.ts';
import { notifyActions } from '../../../shared/notifications/notify.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { endpointKey } from './endpoint.ts';
import { subscriptionAction } from './subscription-actions.ts';

const why = {
  gone: 'The address answered that it is gone (410).',
  failing: 'All attempts have failed for five days.',
};

/**
 * Switches off an endpoint whose address is gone or failing, and tells the administrators; not if somebody has switched it off, or off and
 * on again, meanwhile.
 */
export async function stopEndpoint(
  table: TableWriter,
  { _id, activation }: Pick<WebhookEndpoint, '_id' | 'activation'>,
  reason: keyof typeof why,
  { now, newId }: ClockAndIds,
): Promise<void> {
  const ids = { notification: newId(), event: newId() };
  const logId = newId();
  await table.optimistically(async () => {
    const [stored, admins] = await Promise.all([
      table.read(endpointKey(_id)),
      findAdmins(table, 'webhook_endpoint_disabled'),
    ]);
    if (stored === undefined || !stored.data.isActive || stored.data.activation !== activation) {
      return;
    }
    const at = timestamp(now);
    const endpoint = { ...stored.data, isActive: false, disabledReason: reason, updatedAt: at };
    const notification = {
      _id: ids.notification,
      type: 'webhook_endpoint_disabled' as const,
      title: 'Webhook endpoint switched off',
      message: `${why[reason]} Nothing is posted to ${new URL(endpoint.url).host} until somebody switches it on again.`,
      createdAt: at,
    };
    await table.commit([
      table.replace(stored, endpoint),
      subscriptionAction(table, endpoint),
      logAction(
        table,
        { event: 'webhook_endpoint_disabled', entity: { type: 'webhook_endpoint', id: _id } },
        logId,
        now,
      ),
      ...notifyActions(table, notification, admins, ids.event, now),
    ]);
  });
}
