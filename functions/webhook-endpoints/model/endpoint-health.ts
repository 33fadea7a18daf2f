import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import { type Stored, type TableWriter, VersionConflict } from '../../../shared/table/table.ts';
import { endpointKey } from './endpoint.ts';
import { stopEndpoint } from './stop-endpoint.ts';

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
      : changed(table.update(key, { update: 'REMOVE failingSince', when: 'attribute_exists(pk)' })));
  } else if (isAnyFailure && failingSince === undefined) {
    await changed(
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

/** An endpoint that has been deleted, or whose failure somebody else has noted, needs no change. */
async function changed(update: Promise<unknown>): Promise<void> {
  await update.catch((error: unknown) => {
    if (!(error instanceof VersionConflict)) {
      throw error;
    }
  });
}
