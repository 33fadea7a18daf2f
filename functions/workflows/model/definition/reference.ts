import type { PipelineType } from '../../../../shared/pipelines/pipeline.ts';

/** A record that a node names. */
export interface Reference {
  readonly kind: 'template' | 'user' | 'pipeline' | 'stage' | 'workflow' | 'number';
  /** A stage may be named by its name instead; a phone number is named in any notation. */
  readonly id: string;
  /** Where in `data` it stands. */
  readonly path: string;
  /** Of a pipeline or a stage. */
  readonly pipelineType?: PipelineType;
  /** Of a stage: the pipeline that it is in, if the data names one. */
  readonly pipelineId?: string;
  /** Of a workflow: whether the step starts it. */
  readonly starts?: boolean;
}
