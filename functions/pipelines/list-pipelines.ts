import * as z from 'zod/mini';
import { pipelineTypes, readPipelines } from '../../shared/contacts/pipeline.ts';
import { PipelineResponse } from '../../shared/contacts/pipeline-response.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';

export default operation({
  route: 'GET /api/pipelines',
  summary: 'List pipelines with their stages',
  tool: { name: 'list_pipelines', when: 'To learn the stages by name and id, before you move something.' },
  description:
    'All pipelines of the organization, oldest first, stages in the order of the board. The list is complete: there is no next page.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ type: z.optional(z.enum(pipelineTypes)) }),
  descriptions: { type: 'Only pipelines of this type.' },
  output: described(
    z.object({ success: z.literal(true), data: z.array(PipelineResponse), nextCursor: z.null() }),
    {
      success: 'Always true.',
      data: 'The pipelines, oldest first.',
      nextCursor: 'Always null: there is no next page.',
    },
  ),
  example: { query: { type: 'Contact' } },
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const { data } = await readPipelines(table);
    const pipelines = data.pipelines.filter(({ type }) => query.type === undefined || type === query.type);
    return ok({ data: pipelines, nextCursor: null });
  },
});
