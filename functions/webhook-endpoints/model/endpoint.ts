import type { WebhookJob } from '../../../shared/events/webhook-delivery.ts';
import { endpointRange, type WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import type { SecretLocation } from '../../../shared/kernel/secrets/sealed-secrets.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';

/** The endpoints that an organization may have. */
const most = 50;

/** The posts that an organization makes at the same time, and those of one endpoint. Source: integrations 4. */
const atOnce = { organization: 25, endpoint: 5 };

/** The lanes of an organization, and those in which the slow ones wait if it has more endpoints than lanes. */
const lanes = { home: 20, aside: 5 };

/** @throws a 404 `Failure` for an id that no endpoint has. */
export async function findEndpoint(table: TableReader, id: string): Promise<Stored<WebhookEndpoint>> {
  const stored = await table.read(endpointKey(id));
  if (stored === undefined) {
    throw notFound('Webhook endpoint');
  }
  return stored;
}

/** The lane of another endpoint, and the action that counts it. */
export interface Place {
  readonly lane: number;
  readonly countAction: Action;
}

/**
 * Finds the emptiest lane. The action fails with a version conflict if another endpoint was created or deleted meanwhile.
 * @throws a 409 `Failure` beyond the limit.
 */
export async function findPlace(table: TableWriter): Promise<Place> {
  const [counter, endpoints] = await Promise.all([
    table.read(endpointCountKey()),
    table.list(endpointRange()),
  ]);
  const count = countIn(counter);
  if (count >= most) {
    throw new Failure(
      'CONFLICT',
      `The organization has ${most} webhook endpoints. Delete one that nobody needs.`,
    );
  }
  const used = Array.from(
    { length: lanes.home },
    (_, lane) => endpoints.filter(({ data }) => data.lane === lane).length,
  );
  return {
    lane: used.indexOf(Math.min(...used)),
    countAction: table.updateAction(endpointCountKey(), {
      update: 'ADD used :one',
      when: count === 0 ? 'attribute_not_exists(used) OR used = :count' : 'used = :count',
      values: { one: 1, count },
    }),
  };
}

/** The action that counts an endpoint less in the transaction that deletes it. */
export const countLessAction = (table: TableWriter): Action =>
  table.updateAction(endpointCountKey(), { update: 'ADD used :one', values: { one: -1 } });

/** How many endpoints there are, by the record that counts them. */
export const countIn = (counter: Stored<unknown> | undefined): number =>
  Number(counter?.attributes?.used ?? 0);

/** Whether endpoints share lanes, because there are more of them. */
export const isCrowded = (endpoints: number): boolean => endpoints > lanes.home;

/** The lane of a job. */
export const laneFor = (
  { lane }: WebhookEndpoint,
  { isAside = false }: Pick<WebhookJob, 'isAside'>,
): number => (isAside ? lanes.home + (lane % lanes.aside) : lane);

/**
 * How many posts of one lane are made at the same time. A lane is worked on by one invocation at a time, so the organization makes no
 * more than it may. Only where each lane makes one, an endpoint is in two: in its own, and aside.
 */
export const widthOfLane = (endpoints: number): number =>
  Math.min(
    atOnce.endpoint,
    Math.floor(atOnce.organization / Math.min(Math.max(endpoints, 1), atOnce.organization)),
  );

/** Where the secrets of an endpoint belong. */
export const endpointSecretLocation = (organizationId: string, id: string): SecretLocation => ({
  organizationId,
  record: ['WEBHOOK_ENDPOINT', id],
});

export const endpointKey = (id: string): Key<WebhookEndpoint> => ({
  partition: ['WEBHOOKS'],
  sort: ['ENDPOINT', id],
});

/** How many endpoints the organization has. */
export const endpointCountKey = (): Key<never> => ({ partition: ['WEBHOOKS'], sort: ['COUNT'] });
