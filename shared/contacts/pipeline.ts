import type { Timestamp } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';

export const pipelineTypes = ['Contact', 'Application'] as const;
export type PipelineType = (typeof pipelineTypes)[number];

/** Stages that a pipeline may have, and that one board may request. Source: decisions 1, "Input caps". */
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
  /** Whether a board of its type shows it by default; at most one of each type. */
  isActive: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** All pipelines of an organization, oldest first. */
export interface Pipelines {
  pipelines: Pipeline[];
}

/** Pipelines that an organization may have, and their bytes as JSON: they are one record, read with every board. */
export const pipelineLimits = { count: 50, bytes: 256 * 1024 };

/** The default pipeline for boards of a type and for new contacts. */
export function activePipeline(pipelines: readonly Pipeline[], type: PipelineType): Pipeline | undefined {
  return pipelines.find((pipeline) => pipeline.isActive && pipeline.type === type);
}

/** Adds or replaces a pipeline. If it is active, the other active one of its type becomes inactive. */
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

/** The pipelines of a new organization. Source: decisions 6, "Pipelines". */
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

/** All pipelines are one record, whose version alone keeps their names and the active ones unique. */
export const pipelinesKey = (): Key<Pipelines> => ({ partition: [], sort: ['PIPELINES'] });

/** The pipelines of the organization, strongly consistent; of version 0 if they have never been written. */
export async function readPipelines(table: TableReader): Promise<Stored<Pipelines>> {
  const key = pipelinesKey();
  return (await table.read(key)) ?? { key, data: { pipelines: [] }, version: 0 };
}
