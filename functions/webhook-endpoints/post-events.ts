import type { WebhookJob } from '../../shared/events/webhook-delivery.ts';
import { orderedQueueOperation } from '../../shared/kernel/trigger.ts';
import { postEvents, postingTime } from './model/post-events.ts';

/** One lane of an organization at a time: so neither it nor an endpoint makes more posts at once than it may. */
export default orderedQueueOperation({
  queue: 'webhookPosts',
  summary: 'Post events to webhook endpoints, and note what became of it',
  uses: {
    organizations: 'write',
    platform: 'write',
    secrets: 'open',
    outgoingPosts: 'send',
    webhookPosts: 'send',
  },
  run: (message, { organizations, platform, secrets, outgoingPosts, webhookPosts, now, newId, clock }) =>
    postEvents(
      message as WebhookJob,
      { organizations, platform, secrets, outgoingPosts, webhookPosts, now, newId, clock },
      AbortSignal.timeout(postingTime),
    ),
});
