import { logAction } from '../../shared/events/log-entry.ts';
import { subscriptionKey } from '../../shared/events/webhook-endpoint.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { countLessAction, findEndpoint } from './model/endpoint.ts';

export default operation({
  route: 'DELETE /api/webhook-endpoints/{id}',
  summary: 'Delete a webhook endpoint',
  description:
    'Nothing is posted to it any more, and nobody sees its deliveries again. A post that is under way ends.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareWebhookEndpoint } },
  uses: { table: 'write' },
  async run({ path }, { table, now, newId }) {
    const logId = newId();
    return table.optimistically(async () => {
      const stored = await findEndpoint(table, path.id);
      await table.commit([
        table.delete(stored.key, { ifVersion: stored.version }),
        table.delete(subscriptionKey(path.id)),
        countLessAction(table),
        logAction(
          table,
          { event: 'webhook_endpoint_deleted', entity: { type: 'webhook_endpoint', id: path.id } },
          logId,
          now,
        ),
      ]);
      return ok({ message: 'Webhook endpoint deleted' });
    });
  },
});
