import type * as z from 'zod/mini';
import type { Run, Token } from '../../runs/run.ts';
import type { Decision } from '../decision.ts';
import type { FactSources, Facts } from '../facts.ts';
import type { AwaitedEvent, PlanNode, Settings } from '../plan.ts';
import type { Reference } from '../reference.ts';
import type { Topic } from '../topics.ts';

/** Everything that a decision may depend on. */
export interface DecisionInput<Extra> {
  readonly node: PlanNode;
  readonly settings: Settings;
  readonly run: Run;
  readonly token: Token;
  readonly facts: Facts;
  /** What `read` resolved with. */
  readonly extra: Extra;
  readonly now: Date;
}

/**
 * A type of node: its entry in the catalogue, the schema that builder and engine validate its `data` with, and its decision. Each has a
 * file of its own under `nodes/`, and its place in `nodeTypes`.
 */
export interface NodeType<Data = unknown, Extra = unknown> {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  /** Of the node's `data`. Data that does not match is skipped with the reason `invalid_data`. */
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
  /** Why its step is always skipped, for `check` to say. */
  readonly unavailable?: string;
  /** The topics that it may wait for, for data that may be of any shape. */
  awaits?(data: Readonly<Record<string, unknown>>): readonly Topic[];
  /** The event that a token listens to from the time it comes here, for data that may be of any shape. */
  listensTo?(data: Readonly<Record<string, unknown>>): AwaitedEvent | undefined;
  /** Types of nodes whose steps it needs; they are in `facts.steps`. */
  readonly asksStepsOf?: readonly string[];
  /** Whether it acts as the owner of the workflow. Without an owner who may act, it is skipped as `owner_disabled`. */
  readonly actsAsOwner?: boolean;
  /** Whether it needs the contact. Without one, it is skipped as `contact_gone`. */
  readonly needsContact?: boolean;
  /** The ids of records that the data names, for `check` to look them up. */
  references?(data: Data): readonly Reference[];
  /** Of a type with `references`: whether it sends a text from the default number of the owner, for `check` to look for that. */
  sendsByDefault?(data: Data): boolean;
  /** Reads what this type alone needs. It writes nothing. */
  read?(data: Data, sources: FactSources): Promise<Extra>;
  /** Pure: the same arguments give the same decision. */
  decide(data: Data, input: DecisionInput<Extra>): Decision;
}

/** A type of node without its precise types. The engine parses `data` with the schema before it decides. */
export type AnyNodeType = NodeType<unknown, unknown>;

export const nodeType = <Data, Extra = undefined>(definition: NodeType<Data, Extra>): AnyNodeType =>
  definition as unknown as AnyNodeType;
