import * as z from 'zod/mini';
import { eventGroups } from '../../shared/events/event-groups.ts';
import { replayHours } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { hour } from '../../shared/kernel/time.ts';
import { IsoMoment, parseEnd, parseMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { findEndpoint } from './model/endpoint.ts';
import { enqueueReplay, readRange, replayResponse, requireActive } from './model/replay.ts';

const names = Object.keys(eventGroups) as [string, ...string[]];

export default operation({
  route: 'POST /api/webhook-endpoints/{id}/replay',
  summary: 'Post the events of a time to a webhook endpoint again',
  description: `Exactly the events of that time, within the ${replayHours} hours that events are kept, whose names the endpoint has, also those that it never got; at most 10,000 (400 beyond that). Each keeps its \`webhook-id\`. An endpoint that is off is a 409. Draws on the read budget of your user, as boards do.`,
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 202,
  body: z.object({
    from: IsoMoment,
    to: IsoMoment,
    events: z.optional(z.array(z.enum(names)).check(z.minLength(1), z.maxLength(100))),
  }),
  descriptions: {
    from: 'When the first of them happened; a time that is too long ago means the oldest that is kept. Without an offset, in the time zone of the organization.',
    to: 'When the last of them happened; a later time means now.',
    events: 'Only events with these names; all that the endpoint gets unless stated.',
  },
  output: replayResponse(),
  failures: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  example: {
    path: { id: demo.webhookEndpoint },
    body: { from: '2026-01-01T00:00:00Z', to: '2099-12-31T00:00:00Z', events: ['lead_received'] },
  },
  limits: [readPolicy],
  uses: { table: 'read', rateLimits: 'limit', webhookPosts: 'send' },
  async run({ path, body }, { table, rateLimits, webhookPosts, caller, now, newId, runId = newId() }) {
    const { data: endpoint } = await findEndpoint(table, path.id);
    requireActive(endpoint);
    const zone = await readZoneFor(table, body.from, body.to);
    const [asked, until] = [parseMoment(body.from, zone), parseEnd(body.to, zone)];
    if (asked > until) {
      throw new Failure('INVALID', 'from must not be after to.');
    }
    const from = new Date(Math.max(asked.getTime(), now.getTime() - replayHours * hour));
    const to = new Date(Math.min(until.getTime(), now.getTime()));
    return rateLimits.limitReads(caller.userId, async () => {
      const ids = await readRange(table, endpoint, { from, to, names: body.events }, now);
      await enqueueReplay(webhookPosts, caller.organizationId, endpoint, ids, runId);
      return ok({ data: { count: ids.length } });
    });
  },
});
