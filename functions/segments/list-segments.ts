import * as z from 'zod/mini';
import { isVisible, segmentRange } from '../../shared/board/segment.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readProblems } from './model/problems.ts';
import { SegmentResponse, toSegmentResponse } from './model/segment-fields.ts';

export default operation({
  route: 'GET /api/segments',
  summary: 'List segments',
  description: 'Your own segments and those that others share with the organization, oldest first.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(SegmentResponse),
  uses: { table: 'read' },
  async run({ query }, { table, caller }) {
    const pipelines = readAhead(readPipelines(table));
    const { records, nextCursor } = await table.page(segmentRange(), {
      ...query,
      consistent: true,
      isShown: ({ data }) => isVisible(data, caller),
    });
    const segments = records.map(({ data }) => data).filter((segment) => isVisible(segment, caller));
    const problemsOf = await readProblems(
      table,
      segments.map(({ filter }) => filter),
      pipelines,
    );
    return ok({
      data: segments.map((segment) => toSegmentResponse(segment, problemsOf(segment.filter))),
      nextCursor,
    });
  },
});
