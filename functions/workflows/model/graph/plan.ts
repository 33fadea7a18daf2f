import type { Rule } from '../engine/rules.ts';
import type { Topic } from '../topics/topics.ts';

/**
 * What the runs of one revision of a workflow execute: its graph without positions. A plan never changes; an edit of the workflow that
 * changes more than positions makes a plan with the next revision.
 */
export interface Plan {
  readonly nodes: Readonly<Record<string, PlanNode>>;
  readonly settings: Settings;
}

export interface PlanNode {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The nodes that an edge leads to, by its `sourceHandle`, in the order of the edges; `defaultWay` for edges without one. */
  readonly ways: Readonly<Record<string, readonly string[]>>;
}

/** The way of edges without a `sourceHandle`. */
export const defaultWay = '';

/** When a contact may enter the workflow again. */
export type Reentry = 'never' | 'after_finish' | 'always';

/** The workflow's open property `settings`, with defaults for what is missing or cannot be read. */
export interface Settings {
  readonly reentry: Reentry;
  /** A text of the contact ends the run. */
  readonly stopOnReply: boolean;
  /** When its messages may be sent. */
  readonly window: 'any' | 'business_hours';
  /** An event of the contact that ends the run. */
  readonly goal?: AwaitedEvent;
  /** How many runs may start in a time, beyond the first ones; 300 a minute unless stated. */
  readonly rate: { readonly value: number; readonly milliseconds: number };
}

/** An event of the run's contact that something waits for. */
export interface AwaitedEvent {
  readonly topic: Topic;
  readonly filter: readonly Rule[];
  readonly match: 'all' | 'any';
}
