import { dueOperation } from '../../shared/events/due-operation.ts';
import { enqueueWebhooks } from '../../shared/events/webhook-delivery.ts';
import { endpointKey } from './model/endpoint.ts';

export default dueOperation({
  on: 'webhookRetry',
  summary: 'Queue events for a webhook endpoint that have failed before',
  uses: { organizations: 'write', webhookPosts: 'send' },
  async run(
    { eventIds = [], group: endpointId, organizationId },
    { organizations, webhookPosts, newId, end },
  ) {
    const table = organizations(organizationId);
    const endpoint = await table.read(endpointKey(endpointId));
    if (endpoint?.data.isActive) {
      const job = { organizationId, endpointId, eventIds, part: newId() };
      // Before the end: if that fails, the message comes twice, and finds nothing due the second time.
      await enqueueWebhooks(webhookPosts, job, endpoint.data.lane);
    }
    await table.commit([end]);
    return endpoint?.data.isActive ? 'queued' : 'off';
  },
});
