import * as z from 'zod/mini';
import { newPipeline, pipelineTypes, withPipeline } from '../../shared/contacts/pipeline.ts';
import { PipelineResponse } from '../../shared/contacts/pipeline-response.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changePipelines } from './model/pipeline-changes.ts';
import { NewStages } from './model/pipeline-fields.ts';

export default operation({
  route: 'POST /api/pipelines',
  summary: 'Create a pipeline',
  description:
    'Stages are the columns of the board, in this order. An active pipeline replaces the one that was active for its type; boards and new contacts use it unless they name another. Names are unique within a type, stage names within the pipeline.',
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 201,
  body: z.object({
    name: Name,
    type: z.enum(pipelineTypes),
    stages: NewStages,
    isActive: z._default(anyBoolean, false),
  }),
  descriptions: {
    name: 'Unique among the pipelines of its type.',
    type: 'Whether contacts or applications pass through it.',
    stages: 'Its stages, in the order of the board.',
    isActive: 'Whether it is used when no pipeline is named.',
  },
  output: changeResponse(PipelineResponse),
  failures: ['CONFLICT'],
  example: {
    body: {
      name: 'Resellers',
      type: 'Contact',
      stages: [{ name: 'Invited' }, { name: 'Signed' }],
      isActive: false,
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    const at = timestamp(now);
    const stages = body.stages.map(({ name }) => name);
    const pipeline = newPipeline({ ...body, stages, organizationId: table.organizationId }, newId, at);
    return changePipelines(table, (pipelines) => ({
      pipelines: withPipeline(pipelines, pipeline, at),
      result: ok({ message: 'Pipeline created', data: pipeline }),
    }));
  },
});
