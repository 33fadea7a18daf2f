import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { logAction } from '../../shared/events/log-entry.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { after, hour, timestamp } from '../../shared/kernel/time.ts';
import { endpointSecretLocation, findEndpoint } from './model/endpoint.ts';
import { endpointWithSecretResponse, toEndpointResponse } from './model/endpoint-response.ts';

export default operation({
  route: 'POST /api/webhook-endpoints/{id}/rotate-secret',
  summary: 'Give a webhook endpoint a new secret',
  description:
    'The secret before signs for `overlapHours` more beside the new one: `webhook-signature` then has two signatures, separated by a space. With 0 it stops at once. One that still signed from an earlier rotation stops now.',
  family: 'plain',
  minimumRole: 'ADMIN',
  isClosedToKeys: true,
  body: z.object({ overlapHours: z._default(z.int().check(z.minimum(0), z.maximum(168)), 24) }),
  descriptions: { overlapHours: 'For how many hours the secret before still signs, 0 to 168.' },
  output: endpointWithSecretResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.webhookEndpoint }, body: { overlapHours: 24 } },
  uses: { table: 'write', secrets: 'seal' },
  async run({ path, body }, { table, secrets, caller, now, newId }) {
    const logId = newId();
    const secret = newWebhookSecret(randomBytes);
    const sealed = await secrets.seal(secret, endpointSecretLocation(caller.organizationId, path.id));
    const until = timestamp(after(now, body.overlapHours * hour));
    return table.optimistically(async () => {
      const stored = await findEndpoint(table, path.id);
      const [newest] = stored.data.secrets;
      const kept = newest === undefined || body.overlapHours === 0 ? [] : [{ ...newest, until }];
      const endpoint = {
        ...stored.data,
        secrets: [{ secret: sealed }, ...kept],
        updatedAt: timestamp(now),
      };
      await table.commit([
        table.replace(stored, endpoint),
        logAction(
          table,
          { event: 'webhook_endpoint_secret_rotated', entity: { type: 'webhook_endpoint', id: path.id } },
          logId,
          now,
        ),
      ]);
      return ok({ message: 'Webhook secret rotated', data: toEndpointResponse(endpoint), secret });
    });
  },
});
