import * as z from 'zod/mini';
import { callingActor } from '../../shared/kernel/actor.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { second, timestamp } from '../../shared/kernel/time.ts';
import { findEndpoint } from './model/endpoint.ts';
import { answerTimeout, openSecrets, postSigned } from './model/post-signed.ts';

export default operation({
  route: 'POST /api/webhook-endpoints/{id}/test',
  summary: 'Post a test event to a webhook endpoint',
  description:
    'Posts the event `webhook_test` at once, signed as any other, and responds with what came back; also to an endpoint that is off. It is posted once and is no delivery.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: dataResponse(
    described(
      z.object({
        status: z.optional(z.int()),
        milliseconds: z.int(),
        body: z.optional(anyString),
        error: z.optional(z.enum(['timeout', 'dns', 'refused_address', 'connection', 'tls'])),
      }),
      {
        status: 'The status of the response; absent without one.',
        milliseconds: 'How long it took.',
        body: 'The beginning of the body of the response, at most 1 KB.',
        error: 'Why there was no response; absent with one.',
      },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.webhookEndpoint } },
  timeLimit: answerTimeout + 5 * second,
  throttle: { rate: 10, burst: 50 },
  uses: { table: 'read', secrets: 'open', outgoingPosts: 'send' },
  async run({ path }, { table, secrets: opener, outgoingPosts, caller, now, newId, runId = newId() }) {
    const { organizationId } = caller;
    const { data: endpoint } = await findEndpoint(table, path.id);
    const secrets = await openSecrets(endpoint, organizationId, opener, now);
    const event = {
      ...{ id: runId, event: 'webhook_test', at: timestamp(now), actor: callingActor(caller) },
      ...{ data: { webhookEndpointId: endpoint._id }, organizationId },
    };
    const post = { id: event.id, body: JSON.stringify(event) };
    const result = await postSigned(outgoingPosts, endpoint.url, secrets, post, now);
    const { milliseconds } = result;
    return ok({
      data:
        'error' in result
          ? { milliseconds, error: result.error }
          : { status: result.status, milliseconds, body: result.response },
    });
  },
});
