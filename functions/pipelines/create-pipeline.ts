import * as z from 'zod/mini';
import { changeAnswer } from '../../shared/kernel/envelope.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { Name, yesOrNo } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { defaultStageSteps } from '../../shared/pipelines/default-stage.ts';
import { currentPipelines } from '../../shared/pipelines/known-pipelines.ts';
import {
  activePipeline,
  newPipeline,
  pipelineLimits,
  pipelineTypes,
  stageLimit,
} from '../../shared/pipelines/pipeline.ts';
import { PipelineAnswer } from '../../shared/pipelines/pipeline-answer.ts';
import { optimistically } from '../../shared/table/optimistic.ts';
import { timestamp } from '../../shared/time.ts';

// Boards are objects by stage name, and those put keys that are whole numbers first.
const StageName = Name.check(
  z.refine((name) => name !== '__proto__' && !/^\d+$/.test(name), 'must not be a number alone, or __proto__'),
);

export default operation({
  route: 'POST /api/pipelines',
  summary: 'Create a pipeline',
  description:
    'Stages are the columns of the board, in this order. An active pipeline takes the place of the one that was active for its type: boards and new contacts fall back to it. Names are unique within a type, stage names within the pipeline.',
  family: 'plain',
  allow: 'ADMIN',
  status: 201,
  body: z.object({
    name: Name,
    type: z.enum(pipelineTypes),
    stages: z.array(z.object({ name: StageName })).check(
      z.minLength(1),
      z.maxLength(stageLimit),
      z.refine(
        (stages) => new Set(stages.map(({ name }) => name)).size === stages.length,
        'must not hold a name twice',
      ),
    ),
    isActive: z._default(yesOrNo, false),
  }),
  output: changeAnswer(PipelineAnswer),
  failures: ['CONFLICT'],
  example: {
    name: 'Partners',
    type: 'Contact',
    stages: [{ name: 'Invited' }, { name: 'Signed' }],
    isActive: false,
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId, random }) {
    const at = timestamp(now);
    const stages = body.stages.map(({ name }) => name);
    const pipeline = newPipeline({ ...body, stages, organizationId: table.organizationId }, newId, at);
    return optimistically(random, async () => {
      const stored = await currentPipelines(table);
      if (stored.version === 0) {
        throw notFound('Organization');
      }
      const { pipelines } = stored.data;
      if (pipelines.some(({ type, name }) => type === pipeline.type && name === pipeline.name)) {
        throw new Failure('CONFLICT', `Another ${pipeline.type} pipeline has this name.`);
      }
      if (pipelines.length >= pipelineLimits.count) {
        throw new Failure('CONFLICT', `An organization has at most ${pipelineLimits.count} pipelines.`);
      }
      const active = pipeline.isActive ? activePipeline(pipelines, pipeline.type) : undefined;
      const others = pipelines.map((other) =>
        other === active ? { ...other, isActive: false, updatedAt: at } : other,
      );
      const all = { pipelines: [...others, pipeline] };
      if (Buffer.byteLength(JSON.stringify(all)) > pipelineLimits.bytes) {
        throw new Failure(
          'CONFLICT',
          'All pipelines of an organization together have at most 256 KB. Use shorter names.',
        );
      }
      await table.commit([
        table.replace(stored, all),
        ...(pipeline.isActive ? defaultStageSteps(table, active, pipeline) : []),
      ]);
      return { success: true as const, message: 'Pipeline created', data: pipeline };
    });
  },
});
