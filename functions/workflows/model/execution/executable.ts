import type { NodeType } from '../definition/node-type.ts';
import type { PlanNode, Settings } from '../definition/plan.ts';
import type { Run, Token } from '../runs/run.ts';
import type { Decision } from './decision.ts';
import type { ContextSources, StepContext } from './step-context.ts';

/** Everything that a decision may depend on. */
export interface DecisionInput<Extra> {
  readonly node: PlanNode;
  readonly settings: Settings;
  readonly run: Run;
  readonly token: Token;
  readonly context: StepContext;
  /** The result of `read`. */
  readonly extra: Extra;
  readonly now: Date;
}

/** How runs take the steps of a type of node. */
interface Execution<Data, Extra> {
  /** Reads what this type alone needs. It writes nothing. */
  read?(data: Data, sources: ContextSources): Promise<Extra>;
  /** Pure: the same arguments give the same decision. */
  decide(data: Data, input: DecisionInput<Extra>): Decision;
}

export type Executable<Data = unknown, Extra = unknown> = NodeType<Data> & Execution<Data, Extra>;

/** A type of node without its precise types. The engine parses `data` with the schema before it reads and decides. */
export type AnyExecutable = Executable<unknown, unknown>;

export const executable = <Data, Extra = undefined>(
  nodeType: NodeType<Data>,
  execution: Execution<Data, Extra>,
): AnyExecutable => ({ ...nodeType, ...execution }) as unknown as AnyExecutable;
