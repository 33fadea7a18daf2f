import * as z from 'zod/mini';
import { readColumns } from '../../shared/board/board.ts';
import { needsUsers } from '../../shared/board/board-plan.ts';
import { rangeEnds } from '../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { findSegment } from '../../shared/board/segment.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stagesById } from '../../shared/contacts/stages.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { planSegment } from './model/plan-segment.ts';
import { readProblems } from './model/problems.ts';
import { Problems, problemsMeaning } from './model/segment-fields.ts';

export default operation({
  route: 'GET /api/segments/{id}/count',
  summary: 'Count the contacts of a segment',
  description:
    'Exactly those that a board with this filter shows you. Of a segment of an Application pipeline, it counts the applications. It draws on the same limit as a board.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    described(z.object({ count: z.int(), problems: Problems }), {
      count: 'How many contacts in your scope the segment has now.',
      problems: problemsMeaning,
    }),
  ),
  failures: ['NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  limits: [readPolicy],
  example: { path: { id: demo.segment } },
  uses: { table: 'read', rateLimits: 'limit' },
  async run({ path }, { table, rateLimits, caller, now }) {
    const pipelines = readAhead(readPipelines(table));
    const { data: segment } = await findSegment(table, caller, path.id);
    const query = { ...segment.filter, size: 1, page: undefined };
    const customFields = await loadCustomFieldTests(query.customFilters);
    return rateLimits.limitReads(caller.userId, async () => {
      const [{ data, version }, users, zone, problemsOf] = await Promise.all([
        pipelines,
        needsUsers(caller, query) ? readUsers(table) : [],
        readZoneFor(table, ...rangeEnds(query)),
        readProblems(table, [segment.filter], pipelines),
      ]);
      const plan = planSegment(query, data.pipelines, { caller, users, zone }, now);
      const stages = stagesById(data.pipelines);
      const pages = await readColumns(table, { plan, customFields, stages, pipelinesVersion: version }, now);
      const count = pages.values().reduce((sum, { total }) => sum + total, 0);
      return ok({ data: { count, problems: problemsOf(segment.filter) } });
    });
  },
});
