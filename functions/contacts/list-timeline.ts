import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { nameList } from '../../shared/kernel/schemas/name-list.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { timelineTypes } from './model/timeline/entry.ts';
import { readTimeline } from './model/timeline/read-timeline.ts';
import { buildTimelineResponse, TimelineEntryResponse } from './model/timeline/timeline-response.ts';

export default operation({
  route: 'GET /api/contacts/{id}/timeline',
  summary: 'Read what happened to a contact, newest first',
  tool: { name: 'list_timeline', when: 'To learn how a contact got where it is, and who did what.' },
  description:
    'Changes of the last 90 days, and notes, messages, calls, applications and reminders as long as they exist. A change appears within seconds. With `types`, a page may be short although `nextCursor` is not null. An API key gets the types of its groups. Erasing the contact erases its timeline.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({ types: z.optional(nameList(timelineTypes)), ...pageQuery }),
  descriptions: { types: 'Only these types, separated by commas.', ...pageDescriptions },
  output: listResponse(TimelineEntryResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.ada }, query: { types: 'note,message,call,application' } },
  uses: { table: 'read' },
  async run({ path, query }, { table, caller, now }) {
    const { entries, nextCursor } = await readTimeline(table, caller, path.id, query, now);
    return ok({ data: await buildTimelineResponse(table, caller, entries), nextCursor });
  },
});
