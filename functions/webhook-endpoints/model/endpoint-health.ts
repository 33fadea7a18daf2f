import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, day, minute, second, timestamp } from '../../../shared/kernel/time.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { endpointKey } from './endpoint.ts';
import { stopEndpoint } from './stop-endpoint.ts';
import { writeUnlessChanged } from './write-unless-changed.ts';

/** How long an endpoint may fail. Source: integrations 4. */
const longestFailure = 5 * day;

/** Milliseconds after which a post was slow, and for which its endpoint then counts as slow: others wait for it no more than once in them. */
const slow = { from: second, for: 10 * minute };

/** What came of some attempts. */
export interface Outcomes {
  readonly isAnySuccess: boolean;
  readonly isAnyFailure: boolean;
}

/**
 * Notes since when an endpoint has failed, as its native attribute `failingSince`, and switches off one that has failed for too long: between its first failure and this one, all attempts have failed. A write is needed only when its health changes.
 */
export async function recordHealth(
  table: TableWriter,
  { data: endpoint, attributes }: Stored<WebhookEndpoint>,
  { isAnySuccess, isAnyFailure }: Outcomes,
  clock: ClockAndIds,
): Promise<void> {
  const failingSince = attributes?.failingSince as string | undefined;
  const key = endpointKey(endpoint._id);
  if (isAnySuccess) {
    await (failingSince === undefined
      ? undefined
      : writeUnlessChanged(
          table.update(key, { update: 'REMOVE failingSince', when: 'attribute_exists(pk)' }),
        ));
  } else if (isAnyFailure && failingSince === undefined) {
    await writeUnlessChanged(
      table.update(key, {
        update: 'SET failingSince = :now',
        when: 'attribute_exists(pk) AND attribute_not_exists(failingSince)',
        values: { now: timestamp(clock.now) },
      }),
    );
  } else if (isAnyFailure && failingSince !== undefined) {
    if (failingSince <= timestamp(after(clock.now, -longestFailure))) {
      await stopEndpoint(table, endpoint, 'failing', clock);
    }
  }
}

/** Whether a post to the endpoint was slow in the last minutes. */
export const isSlow = ({ attributes }: Stored<WebhookEndpoint>, now: Date): boolean =>
  String(attributes?.slowUntil ?? '') > timestamp(now);

/** Notes that a post took so long, as the native attribute `slowUntil` of the endpoint: twice in the time for which it counts, at most. */
export async function recordSlowness(
  table: TableWriter,
  stored: Stored<WebhookEndpoint>,
  milliseconds: number,
  now: Date,
): Promise<void> {
  if (milliseconds >= slow.from && !isSlow(stored, after(now, slow.for / 2))) {
    await writeUnlessChanged(
      table.update(stored.key, {
        update: 'SET slowUntil = :until',
        when: 'attribute_exists(pk)',
        values: { until: timestamp(after(now, slow.for)) },
      }),
    );
  }
}
