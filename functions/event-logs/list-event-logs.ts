import * as z from 'zod/mini';
import { entityTypes } from '../../shared/events/log-entry.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { nameList } from '../../shared/kernel/schemas/name-list.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { parseEnd, parseMoment, QueryMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { logNames } from './model/event-entry.ts';
import { EventLogResponse, toEventLogResponse } from './model/event-log-response.ts';
import { readLogPage } from './model/log-page.ts';

const shortText = anyString.check(z.maxLength(200));

export default operation({
  route: 'GET /api/event-logs',
  summary: 'List what happened in the organization, newest first',
  description:
    'The log of 90 days: every event, and what happened to accounts, API keys, phone numbers and webhook endpoints. An entry says what happened, when, who did it and to which record, with the names of the fields that changed; it has no values. An event appears within seconds. A page with a condition reads a bounded part of the log: it may be short, or empty, although `nextCursor` leads on. [Event Logs](#/Event%20Logs) lists the names.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object({
    event: z.optional(nameList(logNames)),
    entity: z.optional(nameList(entityTypes)),
    entityId: z.optional(shortText),
    actorId: z.optional(shortText),
    from: z.optional(QueryMoment),
    to: z.optional(QueryMoment),
    ...pageQuery,
  }),
  descriptions: {
    event: 'Only entries with these names, separated by commas.',
    entity: 'Only entries about records of these types, separated by commas.',
    entityId: 'Only entries about the record with this id.',
    actorId:
      'Only what the actor with this id did: a user, API key, run, provider or outreach configuration.',
    from: 'Only entries since this date or time; without an offset, in the time zone of the organization.',
    to: 'Only entries up to this date or time, that included.',
    ...pageDescriptions,
  },
  output: listResponse(EventLogResponse),
  uses: { table: 'read' },
  async run({ query: { from, to, ...query } }, { table, now }) {
    const zone = await readZoneFor(table, from, to);
    const { records, nextCursor } = await readLogPage(
      table,
      {
        ...query,
        from: from === undefined ? undefined : parseMoment(from, zone),
        to: to === undefined ? undefined : parseEnd(to, zone),
      },
      now,
    );
    return ok({ data: records.map(({ data }) => toEventLogResponse(data)), nextCursor });
  },
});
