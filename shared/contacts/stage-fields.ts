import * as z from 'zod/mini';
import { Id, Name } from '../kernel/schemas/fields.ts';
import type { PipelineType } from './pipeline.ts';

/** The body of a request that moves a record to another stage. */
export const RequestedStageBody = z
  .object({ pipelineId: z.optional(Id), stageId: z.optional(Id), stage: z.optional(Name) })
  .check(
    z.refine(({ stageId, stage }) => stageId !== undefined || stage !== undefined, {
      path: ['stageId'],
      error: 'or stage is required',
    }),
  );

/** The descriptions of its fields, for records in pipelines of this type. */
export const requestedStageDescriptions = (type: PipelineType) => ({
  pipelineId: `The ${type} pipeline of the stage; by default the one that the ${type.toLowerCase()} is in.`,
  stageId: 'The stage to move to. Takes precedence over `stage`.',
  stage: 'The name of a stage in the pipeline, in any case.',
});
