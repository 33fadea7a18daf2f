import type * as z from 'zod/mini';
import type { PipelineType } from '../../../../shared/contacts/pipeline.ts';
import type { AwaitedEvent } from './plan.ts';
import type { Topic } from './topics.ts';

/** A record that a node names. */
export interface Reference {
  readonly kind: 'template' | 'user' | 'pipeline' | 'stage' | 'workflow' | 'number';
  /** A stage may be named by its name instead; a phone number is named in any notation. */
  readonly id: string;
  /** Where in `data` it stands. */
  readonly path: string;
  /** The type that a pipeline, or the pipeline of a stage, must have. */
  readonly pipelineType?: PipelineType;
  /** The pipeline that a stage is in, if the data names one. */
  readonly pipelineId?: string;
  /** Whether the step starts the workflow that it names. */
  readonly starts?: boolean;
}

/**
 * A type of node, as builders and checks know it: its entry in the catalogue, and the schema that builder and engine validate its `data`
 * with. Its place is in `nodeTypes`; how runs take its steps is in `execution/…-steps.ts`.
 */
export interface NodeType<Data = unknown> {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  /** The schema of the node's `data`. Data that does not match is skipped with the reason `invalid_data`. */
  readonly schema: z.ZodMiniType<Data>;
  /**
   * The ways out beside the default one and `error`, for this data. Those of a type with `waysFrom` depend on data, others do not look
   * at it.
   */
  ways?(data: Data): readonly string[];
  /** The field of data that names its ways: `cases`. */
  readonly waysFrom?: string;
  /** Whether a run waits at it, so that it may come back as often as it likes. */
  readonly waits?: boolean;
  /** Another name by which fields may refer to the last step at its node, for data that may be of any shape. */
  savesAs?(data: Readonly<Record<string, unknown>>): unknown;
  /** The topics that it may wait for, for data that may be of any shape. */
  awaits?(data: Readonly<Record<string, unknown>>): readonly Topic[];
  /** The event that a token listens to from the time it comes here, for data that may be of any shape. */
  listensTo?(data: Readonly<Record<string, unknown>>): AwaitedEvent | undefined;
  /** Types of nodes whose steps it needs; they are in `context.steps`. */
  readonly asksStepsOf?: readonly string[];
  /** Whether it acts as the owner of the workflow. Without an owner who may act, it is skipped as `owner_disabled`. */
  readonly actsAsOwner?: boolean;
  /** Whether it needs the contact. Without one, it is skipped as `contact_gone`. */
  readonly needsContact?: boolean;
  /** The ids of records that the data names, for `check` to look them up. */
  references?(data: Data): readonly Reference[];
  /** Whether a type with `references` sends a text from the default number of the owner, for `check` to look for that. */
  sendsByDefault?(data: Data): boolean;
}

/** A type of node without the precise type of its data, which whoever asks something of it parses with its schema before. */
export type AnyNodeType = NodeType<unknown>;

export const nodeType = <Data>(definition: NodeType<Data>): NodeType<Data> => definition;
