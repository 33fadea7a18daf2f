import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { logAction } from '../../shared/events/log-entry.ts';
import type { WebhookEndpoint } from '../../shared/events/webhook-endpoint.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { endpointKey, endpointSecretLocation, findPlace } from './model/endpoint.ts';
import { EndpointFields, endpointDescriptions, requireUrl } from './model/endpoint-fields.ts';
import { endpointWithSecretResponse, toEndpointResponse } from './model/endpoint-response.ts';
import { subscriptionAction } from './model/subscription-actions.ts';

export default operation({
  route: 'POST /api/webhook-endpoints',
  summary: 'Create a webhook endpoint',
  description:
    'The service posts every event with one of these names to the address, whoever may see it, signed by Standard Webhooks (www.standardwebhooks.com). The response is the only one that shows the secret. An address that is not public is refused with 400; a name that does not resolve now is taken, and `message` says so. An organization has at most 50 endpoints; the next is a 409. [Webhook endpoints](#/Webhook%20endpoints) tells what is posted, and how often.',
  family: 'plain',
  minimumRole: 'ADMIN',
  isClosedToKeys: true,
  status: 201,
  body: z.object(EndpointFields),
  descriptions: endpointDescriptions,
  output: endpointWithSecretResponse(),
  failures: ['CONFLICT'],
  example: { body: { url: 'http://localhost:3000/_webhook-inbox', events: ['lead_received'] } },
  uses: { table: 'write', secrets: 'seal', outgoingPosts: 'send' },
  async run({ body }, { table, secrets, outgoingPosts, caller, now, newId }) {
    const remark = await requireUrl(outgoingPosts, body.url);
    const [_id, secret, at] = [newId(), newWebhookSecret(randomBytes), timestamp(now)];
    const sealed = await secrets.seal(secret, endpointSecretLocation(caller.organizationId, _id));
    const isActive = body.isActive ?? true;
    const logId = newId();
    return table.optimistically(async () => {
      const { lane, countAction } = await findPlace(table);
      const endpoint: WebhookEndpoint = {
        ...{ _id, url: body.url, events: body.events, description: body.description || null, isActive },
        ...{ disabledReason: null, createdBy: caller.userId, createdAt: at, updatedAt: at },
        ...{ activation: isActive ? 1 : 0, lane, secrets: [{ secret: sealed }] },
      };
      await table.commit([
        countAction,
        table.add(endpointKey(_id), endpoint),
        logAction(
          table,
          { event: 'webhook_endpoint_created', entity: { type: 'webhook_endpoint', id: _id } },
          logId,
          now,
        ),
        ...(isActive ? [subscriptionAction(table, endpoint)] : []),
      ]);
      return ok({
        message: `Webhook endpoint created${remark}`,
        data: toEndpointResponse(endpoint),
        secret,
      });
    });
  },
});
