import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { pipelineTypes } from './pipeline.ts';

export const StageResponse = described(z.object({ _id: anyString, name: anyString }), {
  _id: 'The id of the stage.',
  name: 'Its name, unique in the pipeline.',
});

export const PipelineResponse = described(
  z.object({
    _id: anyString,
    organizationId: anyString,
    name: anyString,
    type: z.enum(pipelineTypes),
    stages: z.array(StageResponse),
    isActive: anyBoolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the pipeline.',
    organizationId: 'The organization it belongs to.',
    name: 'Its name.',
    type: 'Whether contacts or applications pass through it.',
    stages: 'Its stages, in the order of the board.',
    isActive: 'Whether it is used when no pipeline is named; at most one of each type is.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Pipeline', description: 'The ordered stages that contacts or applications pass through.' },
);
