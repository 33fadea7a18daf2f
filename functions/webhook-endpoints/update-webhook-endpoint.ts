import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { logAction } from '../../shared/events/log-entry.ts';
import type { WebhookEndpoint } from '../../shared/events/webhook-endpoint.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { findEndpoint } from './model/endpoint.ts';
import {
  EndpointFields,
  endpointDescriptions,
  endpointFieldNames,
  requireUrl,
} from './model/endpoint-fields.ts';
import { EndpointResponse, toEndpointResponse } from './model/endpoint-response.ts';
import { subscriptionAction } from './model/subscription-actions.ts';

export default operation({
  route: 'PUT /api/webhook-endpoints/{id}',
  summary: 'Update a webhook endpoint',
  description:
    'Fields you leave out keep their value. `isActive: false` switches it off: deliveries that are pending fail with the reason `endpoint_off`. `isActive: true` switches it on again, also after the service has switched it off; a replay sends what it missed. An endpoint that was changed has five days again before it counts as failing. The secret stays the same.',
  family: 'plain',
  minimumRole: 'ADMIN',
  body: z.partial(z.object(EndpointFields)),
  descriptions: { ...endpointDescriptions, isActive: 'Whether events are posted.' },
  output: changeResponse(EndpointResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.webhookEndpoint }, body: { description: 'Leads for the newsletter' } },
  uses: { table: 'write', outgoingPosts: 'send' },
  async run({ path, body }, { table, outgoingPosts, caller, now, newId }) {
    const logId = newId();
    return table.optimistically(async () => {
      const stored = await findEndpoint(table, path.id);
      const { data: before } = stored;
      const { description, ...fields } = body;
      const edited: WebhookEndpoint = {
        ...before,
        ...definedOnly(fields),
        ...(description !== undefined && { description: description || null }),
      };
      if (isDeepStrictEqual(edited, before)) {
        return ok({ message: 'No changes', data: toEndpointResponse(before) });
      }
      // Otherwise the key would get the events of all groups, at an address of its own.
      if (
        caller.key?.groups !== undefined &&
        (edited.url !== before.url || !isDeepStrictEqual(edited.events, before.events))
      ) {
        throw new Failure('FORBIDDEN', 'An API key that is limited to groups may not change url or events.');
      }
      const remark = edited.url === before.url ? '' : await requireUrl(outgoingPosts, edited.url);
      const isSwitchedOn = edited.isActive && !before.isActive;
      const endpoint: WebhookEndpoint = {
        ...edited,
        ...(isSwitchedOn && { activation: before.activation + 1, disabledReason: null }),
        updatedAt: timestamp(now),
      };
      const changed = endpointFieldNames.filter((name) => !isDeepStrictEqual(edited[name], before[name]));
      await table.commit([
        table.replace(stored, endpoint),
        subscriptionAction(table, endpoint),
        logAction(
          table,
          { event: 'webhook_endpoint_updated', entity: { type: 'webhook_endpoint', id: path.id }, changed },
          logId,
          now,
        ),
      ]);
      return ok({ message: `Webhook endpoint updated${remark}`, data: toEndpointResponse(endpoint) });
    });
  },
});
