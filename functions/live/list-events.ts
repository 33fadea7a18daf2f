import * as z from 'zod/mini';
import { eventGroups } from '../../shared/events/event-groups.ts';
import { settlingTime } from '../../shared/events/event-log.ts';
import { replayHours } from '../../shared/events/outbox.ts';
import { Failure, Refused } from '../../shared/kernel/failure.ts';
import { JsonText } from '../../shared/kernel/http/json-text.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ActorResponse } from '../../shared/kernel/schemas/actor-response.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { nameList } from '../../shared/kernel/schemas/name-list.ts';
import { limitUpTo } from '../../shared/kernel/schemas/paging.ts';
import { second } from '../../shared/kernel/time.ts';
import { IsoMoment, parseMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { readCallingSubscriber } from './model/audience.ts';
import { journalEnd, placeAt, readJournal, requirePlace, resyncRequired } from './model/journal.ts';

const limits = { most: 1_000, usual: 100 };

const delay = settlingTime / second;

export default operation({
  route: 'GET /api/events',
  summary: 'Read the events after a given one, oldest first',
  description: `The journal: the events of live connections, for programs that ask from time to time. Read on with \`after=<nextAfter>\`, at once while \`hasMore\` is true. It shows what you may see at that moment, and nothing twice. An event appears ${delay} seconds after it happened, when none with a smaller id can still come: nothing is missed. Without \`after\` and \`since\` it begins now: call it, load what you need, then read on. A page may be short, or empty, although \`hasMore\` is true. An API key gets the events of its groups alone. 410 with \`code: 'RESYNC_REQUIRED'\`: the place is older than ${replayHours} hours, or none. Draws on the read budget of your user, as boards do.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({
    after: z.optional(anyString),
    since: z.optional(anyString),
    events: z.optional(nameList(Object.keys(eventGroups))),
    limit: z._default(limitUpTo(limits.most), limits.usual),
  }),
  descriptions: {
    after: 'The `nextAfter` of the page before, or the id of an event.',
    since:
      'In place of `after`: a time to begin with, that of the event itself included; without an offset, in the time zone of the organization.',
    events: 'Only events with these names, separated by commas.',
    limit: 'How many events a page holds.',
  },
  output: described(
    z.object({
      success: z.literal(true),
      data: z.array(
        described(
          z.object({
            id: anyString,
            event: anyString,
            at: dateTime,
            actor: ActorResponse,
            data: z.record(anyString, z.unknown()),
          }),
          {
            id: 'Identifies the event, here, in live connections and in webhooks.',
            event: 'Its name.',
            at: 'When it happened.',
            actor: 'Who did it.',
            data: 'The details, as the schema `LiveEvent` describes them.',
          },
        ),
      ),
      nextAfter: anyString,
      hasMore: anyBoolean,
    }),
    {
      success: 'Always true.',
      data: 'The events of the page, oldest first.',
      nextAfter: 'The `after` of the next page. It need not be the id of an event.',
      hasMore: 'Whether the next page may be read at once.',
    },
  ),
  failures: ['RESYNC_REQUIRED', 'TOO_MANY_ATTEMPTS'],
  limits: [readPolicy],
  detailedFailures: [
    {
      example: resyncRequired(
        `after is more than ${replayHours} hours ago.`,
        new Date('2026-03-04T12:00:00Z'),
      ),
      details: {
        code: { description: 'Always the same.', enum: ['RESYNC_REQUIRED'] },
        nextAfter: { description: 'The `after` with which to read everything that is kept.' },
      },
    },
  ],
  uses: { table: 'read', rateLimits: 'limit' },
  async run({ query: { after, since, events: names, limit } }, { table, rateLimits, caller, now }) {
    if (after !== undefined && since !== undefined) {
      throw new Failure('INVALID', 'Send after or since, not both.');
    }
    return rateLimits.limitReads(caller.userId, async () => {
      const place =
        after !== undefined
          ? requirePlace(after, now)
          : since !== undefined
            ? placeAt(await momentOf(since), now)
            : journalEnd(now);
      const subscriber = await readCallingSubscriber(caller, table);
      if (subscriber === undefined) {
        throw new Refused('invalid');
      }
      const page = await readJournal(table, subscriber, { after: place, limit, names }, now);
      const { frames, nextAfter, hasMore } = page;
      const rest = JSON.stringify({ nextAfter, hasMore }).slice(1);
      return new JsonText(`{"success":true,"data":[${frames.join(',')}],${rest}`);
    });

    async function momentOf(text: string): Promise<Date> {
      const written = z.safeParse(IsoMoment, text);
      if (!written.success) {
        throw resyncRequired('since must be a date-time in ISO 8601.', now);
      }
      return parseMoment(written.data, await readZoneFor(table, written.data));
    }
  },
});
