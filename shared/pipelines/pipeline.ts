import type { Key } from '../table/key.ts';
import type { Timestamp } from '../time.ts';

export const pipelineTypes = ['Contact', 'Application'] as const;
export type PipelineType = (typeof pipelineTypes)[number];

/** Stages a pipeline may have: what one board may ask for at once. Source: decisions 1, "Input caps". */
export const stageLimit = 50;

export interface Stage {
  _id: string;
  name: string;
}

export interface Pipeline {
  _id: string;
  organizationId: string;
  name: string;
  type: PipelineType;
  /** In the order of the board's columns. */
  stages: Stage[];
  /** The pipeline that a board of its type falls back to; one of each type at most. */
  isActive: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** All pipelines of an organization, oldest first. */
export interface Pipelines {
  pipelines: Pipeline[];
}

/** Pipelines an organization may have, and bytes of them as JSON: they are one record, read with every board. */
export const pipelineLimits = { count: 50, bytes: 256 * 1024 };

/** The pipeline that boards of a type show, and new contacts enter, when none is named. */
export function activePipeline(pipelines: readonly Pipeline[], type: PipelineType): Pipeline | undefined {
  return pipelines.find((pipeline) => pipeline.isActive && pipeline.type === type);
}

/** The pipelines with this one in place of its former self, or as the newest; the active one of its type makes way for it. */
export function withPipeline(
  pipelines: readonly Pipeline[],
  pipeline: Pipeline,
  at: Timestamp,
): readonly Pipeline[] {
  const others = pipelines.map((other) => {
    const makesWay = pipeline.isActive && other.isActive && other.type === pipeline.type;
    return makesWay ? { ...other, isActive: false, updatedAt: at } : other;
  });
  const index = pipelines.findIndex(({ _id }) => _id === pipeline._id);
  return index === -1 ? [...others, pipeline] : others.with(index, pipeline);
}

/** What a new organization starts with. Source: decisions 6, "Pipelines". */
export const initialStages: Record<PipelineType, readonly string[]> = {
  Contact: ['New', 'Contacted', 'Qualified', 'Won', 'Lost'],
  Application: ['Submitted', 'In review', 'Approved', 'Declined'],
};

export function newPipeline(
  fields: {
    organizationId: string;
    name: string;
    type: PipelineType;
    stages: readonly string[];
    isActive: boolean;
  },
  newId: () => string,
  at: Timestamp,
): Pipeline {
  return {
    _id: newId(),
    organizationId: fields.organizationId,
    name: fields.name,
    type: fields.type,
    stages: fields.stages.map((name) => ({ _id: newId(), name })),
    isActive: fields.isActive,
    createdAt: at,
    updatedAt: at,
  };
}

/** All pipelines in one record: names and the active ones are unique by its version alone. */
export const pipelinesKey = (): Key<Pipelines> => ({ partition: [], sort: ['PIPELINES'] });
