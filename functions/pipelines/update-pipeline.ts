import * as z from 'zod/mini';
import { withPipeline } from '../../shared/contacts/pipeline.ts';
import { PipelineResponse } from '../../shared/contacts/pipeline-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changePipelines } from './model/pipeline-changes.ts';
import { editedPipeline } from './model/pipeline-edit.ts';
import { Stages } from './model/pipeline-fields.ts';

export default operation({
  route: 'PUT /api/pipelines/{id}',
  summary: 'Update a pipeline: rename, reorder, add and remove stages, make it active',
  description:
    'Fields you leave out keep their value; the type cannot change. A stage that still holds contacts or applications cannot be removed: the response is 409 and nothing changes. An active pipeline replaces the one that was active for its type. Without an active one, boards of the type are empty unless they name a pipeline, and new contacts or applications must name their `pipelineId` or `stageId`. Names are unique within a type, stage names within the pipeline.',
  family: 'plain',
  minimumRole: 'ADMIN',
  body: z.object({
    name: z.optional(Name),
    stages: z.optional(Stages),
    isActive: z.optional(anyBoolean),
  }),
  descriptions: {
    name: 'Unique among the pipelines of its type.',
    stages:
      'All stages of the pipeline, in the order of the board; stages left out are removed. With an `_id`, it is that stage, with the given name; without one, it is the stage of this name in any case, as it is spelled already, or else a new one.',
    isActive: 'Whether it is used when no pipeline is named.',
  },
  output: changeResponse(PipelineResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { id: demo.partnersPipeline },
    body: { name: 'Partners', stages: [{ name: 'Invited' }, { name: 'Met' }, { name: 'Signed' }] },
  },
  uses: { table: 'write' },
  async run({ path, body }, { table, now, newId }) {
    const at = timestamp(now);
    const newIds = body.stages?.map(() => newId()) ?? [];
    return changePipelines(table, (pipelines) => {
      const before = pipelines.find(({ _id }) => _id === path.id);
      if (before === undefined) {
        throw notFound('Pipeline');
      }
      const data = editedPipeline(before, body, newIds, at);
      return data === before
        ? { pipelines, result: ok({ message: 'No changes', data }) }
        : {
            pipelines: withPipeline(pipelines, data, at),
            result: ok({ message: 'Pipeline updated', data }),
          };
    });
  },
});
