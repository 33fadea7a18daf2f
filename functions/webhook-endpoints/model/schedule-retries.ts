import { scheduleAction } from '../../../shared/events/due-entry.ts';
import type { WebhookDelivery } from '../../../shared/events/webhook-delivery.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { writeUnlessChanged } from './write-unless-changed.ts';

/** Schedules deliveries to an endpoint that are due again, with one entry for all of a second. Repeating it changes nothing. */
export async function scheduleRetries(
  platform: TableWriter<'platform'>,
  { organizationId, endpointId: group }: { organizationId: string; endpointId: string },
  deliveries: readonly WebhookDelivery[],
): Promise<void> {
  const bySecond = Map.groupBy(deliveries, ({ nextAttemptAt = '' }) => nextAttemptAt);
  await Promise.all(
    [...bySecond].map(([at, some]) => {
      const eventIds = some.map(({ eventId }) => eventId).toSorted();
      const entry = {
        kind: 'webhookRetry',
        at,
        organizationId,
        group,
        id: toDigest(eventIds.join(' ')),
        eventIds,
      } as const;
      return writeUnlessChanged(platform.commit([scheduleAction(platform, entry)]));
    }),
  );
}
