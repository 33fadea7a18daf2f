import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import { pipelineTypes } from './pipeline.ts';

/** The schema of a pipeline as answered. */
export const PipelineAnswer = z
  .object({
    _id: anyText,
    organizationId: anyText,
    name: anyText,
    type: z.enum(pipelineTypes),
    stages: z.array(z.object({ _id: anyText, name: anyText })),
    isActive: yesOrNo,
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'Pipeline' }));
