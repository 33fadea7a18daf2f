import * as z from 'zod/mini';
import { given } from '../../../../shared/kernel/given.ts';
import { Id, Name } from '../../../../shared/kernel/schemas/fields.ts';
import type { Pipeline, PipelineType } from '../../../../shared/pipelines/pipeline.ts';
import { stageById } from '../../../../shared/pipelines/stages.ts';
import type { Reference } from './reference.ts';

/** A stage in the data of a node: in one field, by id or by name. */
export const stageFields = { pipelineId: z.optional(Id), stage: Name };

export interface StageData {
  readonly pipelineId?: string | undefined;
  readonly stage?: string | undefined;
}

/** The fields that name the stage in a request to an operation. An id takes precedence over a name. */
export function stageRequest({ pipelineId, stage }: StageData, pipelines: readonly Pipeline[]) {
  const isId = stage !== undefined && stageById(pipelines, stage) !== undefined;
  return given({ pipelineId, ...(isId ? { stageId: stage } : { stage }) });
}

export function stageReferences({ pipelineId, stage }: StageData, pipelineType: PipelineType): Reference[] {
  return [
    ...(pipelineId === undefined
      ? []
      : [{ kind: 'pipeline', id: pipelineId, path: 'pipelineId', pipelineType } as const]),
    ...(stage === undefined
      ? []
      : [{ kind: 'stage', id: stage, path: 'stage', pipelineType, ...given({ pipelineId }) } as const]),
  ];
}
