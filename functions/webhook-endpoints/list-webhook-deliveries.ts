import * as z from 'zod/mini';
import { eventGroups } from '../../shared/events/event-groups.ts';
import { replayHours } from '../../shared/events/outbox.ts';
import { deliveryRange } from '../../shared/events/webhook-delivery.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { nameList } from '../../shared/kernel/schemas/name-list.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readMergedPage } from '../../shared/table/merged-page.ts';
import {
  DeliveryResponse,
  deliveryStatus,
  deliveryStatuses,
  toDeliveryResponse,
} from './model/delivery-response.ts';
import { findEndpoint } from './model/endpoint.ts';

export default operation({
  route: 'GET /api/webhook-endpoints/{id}/deliveries',
  summary: 'List the deliveries of a webhook endpoint, newest event first',
  description: `A delivery is kept as long as its event: ${replayHours} hours. With a status or a name a page may be short although more follow.`,
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object({
    status: z.optional(nameList(deliveryStatuses)),
    event: z.optional(nameList(Object.keys(eventGroups))),
    ...pageQuery,
  }),
  descriptions: {
    status: 'Only deliveries with these statuses, separated by commas: `pending`, `delivered` or `failed`.',
    event: 'Only deliveries of events with these names, separated by commas.',
    ...pageDescriptions,
  },
  output: listResponse(DeliveryResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.webhookEndpoint } },
  uses: { table: 'read' },
  async run({ path, query: { status, event: names, limit, cursor } }, { table }) {
    const { data: endpoint } = await findEndpoint(table, path.id);
    const { records, nextCursor } = await readMergedPage(table, [deliveryRange(path.id)], {
      ...{ limit, cursor, consistent: true },
      ...((status ?? names) && {
        matches: (delivery) =>
          status?.includes(deliveryStatus(delivery, endpoint)) !== false &&
          names?.includes(delivery.event) !== false,
      }),
    });
    return ok({ data: records.map(({ data }) => toDeliveryResponse(data, endpoint)), nextCursor });
  },
});
