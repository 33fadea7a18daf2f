import { findSegment } from '../../shared/board/segment.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { readProblems } from './model/problems.ts';
import { SegmentResponse, toSegmentResponse } from './model/segment-fields.ts';

export default operation({
  route: 'GET /api/segments/{id}',
  summary: 'Read a segment',
  description: 'One of your own, or one that somebody shares with the organization.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: dataResponse(SegmentResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.segment } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const pipelines = readAhead(readPipelines(table));
    const { data } = await findSegment(table, caller, path.id);
    const problemsOf = await readProblems(table, [data.filter], pipelines);
    return ok({ data: toSegmentResponse(data, problemsOf(data.filter)) });
  },
});
