import { dueOperation } from '../../shared/events/due-operation.ts';
import { enqueueWebhooks } from '../../shared/events/webhook-delivery.ts';
import { endpointKey } from './model/endpoint.ts';

export default dueOperation({
  on: 'webhookRetry',
  summary: 'Queue an event for a webhook endpoint that has failed before',
  uses: { organizations: 'write', webhookPosts: 'send' },
  async run({ id, group: endpointId, organizationId }, { organizations, webhookPosts, newId, end }) {
    const table = organizations(organizationId);
    const endpoint = await table.read(endpointKey(endpointId));
    if (endpoint?.data.isActive) {
      const job = { organizationId, endpointId, eventIds: [id], part: newId() };
      // Before the end: if that fails, the message comes twice, and finds nothing due the second time.
      await enqueueWebhooks(webhookPosts, job, endpoint.data.lane);
    }
    await table.commit([end]);
    return endpoint?.data.isActive ? 'queued' : 'off';
  },
});
