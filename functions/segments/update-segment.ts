import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { findChangeableSegment, type Segment } from '../../shared/board/segment.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { readProblems } from './model/problems.ts';
import {
  readFilter,
  SegmentResponse,
  segmentDescriptions,
  segmentFields,
  toSegmentResponse,
} from './model/segment-fields.ts';

export default operation({
  route: 'PUT /api/segments/{id}',
  summary: 'Update a segment',
  description:
    'Fields you leave out keep their value; `filter` is replaced as a whole. Only its creator may do this, or an ADMIN if it is shared.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: z.partial(z.object(segmentFields)),
  descriptions: segmentDescriptions,
  output: changeResponse(SegmentResponse),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.segment }, body: { name: 'Large budgets' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now }) {
    const filter = body.filter && (await readFilter(body.filter));
    return table.optimistically(async () => {
      const pipelines = readAhead(readPipelines(table));
      const stored = await findChangeableSegment(table, caller, path.id);
      const edited: Segment = { ...stored.data, ...definedOnly({ ...body, filter }) };
      const isSame = isDeepStrictEqual(edited, stored.data);
      const segment = isSame ? edited : { ...edited, updatedAt: timestamp(now) };
      const problemsOf = await readProblems(table, [segment.filter], pipelines);
      if (!isSame) {
        await table.commit([table.replace(stored, segment)]);
      }
      return ok({
        message: isSame ? 'No changes' : 'Segment updated',
        data: toSegmentResponse(segment, problemsOf(segment.filter)),
      });
    });
  },
});
