import * as z from 'zod/mini';
import { type Segment, segmentKey } from '../../shared/board/segment.ts';
import { operation } from '../../shared/kernel/operation.ts';
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
import { countAction, readSegmentCount, segmentLimit } from './model/segment-limit.ts';

export default operation({
  route: 'POST /api/segments',
  summary: 'Create a segment',
  description:
    'Keeps a filter of the board under a name. Whoever uses a shared segment finds the contacts in their own scope alone, and `me` means that person. An organization has at most 200 segments (409 beyond that). A filter may name what is not there: `problems` says so.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.object(segmentFields),
  descriptions: segmentDescriptions,
  output: changeResponse(SegmentResponse),
  failures: ['CONFLICT'],
  limits: [segmentLimit],
  example: {
    body: {
      name: 'Waiting for me',
      filter: { ownerFilter: 'me', messageStatus: 'unanswered' },
      isShared: true,
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, caller, now, newId }) {
    const at = timestamp(now);
    const segment: Segment = {
      _id: newId(),
      name: body.name,
      filter: await readFilter(body.filter),
      isShared: body.isShared ?? false,
      createdBy: caller.userId,
      createdAt: at,
      updatedAt: at,
    };
    const [problemsOf, used] = await Promise.all([
      readProblems(table, [segment.filter]),
      readSegmentCount(table),
    ]);
    await table.commit([table.add(segmentKey(segment._id), segment), countAction(table, used)]);
    return ok({
      message: 'Segment created',
      data: toSegmentResponse(segment, problemsOf(segment.filter)),
    });
  },
});
