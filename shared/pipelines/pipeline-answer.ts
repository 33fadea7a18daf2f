import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import { pipelineTypes } from './pipeline.ts';

export const StageAnswer = z.object({ _id: anyText, name: anyText });

/** The schema of a pipeline as answered. */
export const PipelineAnswer = z
  .object({
    _id: anyText,
    organizationId: anyText,
    name: anyText,
    type: z.enum(pipelineTypes),
    stages: z.array(StageAnswer),
    isActive: yesOrNo,
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'Pipeline' }));
