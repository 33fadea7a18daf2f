import { eventKeyFor } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { findDelivery } from './model/delivery-response.ts';
import { enqueueReplay, replayResponse, requireActive } from './model/replay.ts';

export default operation({
  route: 'POST /api/webhook-deliveries/{id}/replay',
  summary: 'Post the event of a webhook delivery again',
  description:
    'Whatever became of it, with the same `webhook-id`; if it fails, it is attempted again as a new one is. A delivery that was erased with its contact is a 404; `count` is 0 if only its event is gone already. An endpoint that is off is a 409.',
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 202,
  output: replayResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.webhookDelivery } },
  uses: { table: 'read', webhookPosts: 'send' },
  async run({ path }, { table, webhookPosts, caller, newId, runId = newId() }) {
    const { delivery, endpoint } = await findDelivery(table, path.id);
    requireActive(endpoint);
    const { eventId } = delivery;
    const event = await table.read(eventKeyFor(eventId));
    const ids = event === undefined ? [] : [eventId];
    await enqueueReplay(webhookPosts, caller.organizationId, endpoint, ids, runId);
    return ok({ data: { count: ids.length } });
  },
});
