import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { endpointKey } from './endpoint.ts';
import { stopEndpoint } from './stop-endpoint.ts';
import { writeUnlessChanged } from './write-unless-changed.ts';

/** How long an endpoint may fail. Source: integrations 4. */
const longestFailure = 5 * day;

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
