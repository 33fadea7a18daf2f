import { day } from '../../../../shared/kernel/time.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { Filter } from './filter.ts';
import type { Topic } from './topics.ts';

/**
 * A plan is what the runs of one revision of a workflow execute: its graph without positions. A plan never changes; an edit of the workflow that
 * changes more than positions makes a plan with the next revision.
 */
export interface Plan {
  /** Read them with `findNode`: an id may be any text, also the name of something that every object has. */
  readonly nodes: Readonly<Record<string, PlanNode>>;
  readonly settings: Settings;
  /** The events that its runs listen to beside the triggers: for their waits, their goal, and a reply that ends them. */
  readonly awaits: readonly Topic[];
  /** The nodes to whose steps other nodes refer: `step.<nodeId>.…`. */
  readonly asks: readonly string[];
  /** Absent in plans of earlier versions. */
  readonly confirmed?: Confirmed;
}

/** Somebody with the rights of the owner has confirmed it by saving the graph, enabling the workflow or moving its runs. */
export interface Confirmed {
  /**
   * The digests of the texts that its templates had then, by template: others may change a template, but not what the workflow says.
   * `current` in a draft: it counts as just enabled.
   */
  readonly texts: Readonly<Record<string, string>> | 'current';
  /** The rights that the owner had then. Wider ones need another confirmation, unless the owner or an ADMIN gave this one. */
  readonly most?: Reach;
}

/** Counts as confirmed of a draft, and of a workflow that is disabled: its owner would confirm it by enabling it now. */
export const asIfEnabled: Confirmed = { texts: 'current' };

export interface PlanNode {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /**
   * The nodes that an edge leads to, by its `sourceHandle`, in the order of the edges; `defaultBranch` for edges without one. They need
   * not exist. Read them with `edgeTargets`.
   */
  readonly ways: Readonly<Record<string, readonly string[]>>;
}

/** The way of edges without a `sourceHandle`. */
export const defaultBranch = '';

/**
 * Characters that the id of a node may have, and its type, and the name of a way: runs, their steps and triggers hold them, and no record
 * of the table may grow with them. Source: decisions 1, "names and labels".
 */
export const longestName = 200;

/** Milliseconds of a wait at most: whoever waits longer has forgotten it. */
export const longestWait = 365 * day;

/** The node with this id; undefined for an edge that leads nowhere. */
export function findNode({ nodes }: Plan, id: string): PlanNode | undefined {
  return Object.hasOwn(nodes, id) ? nodes[id] : undefined;
}

/** Where this way leads; undefined if no edge has it. */
export function edgeTargets({ ways }: PlanNode, branch: string): readonly string[] | undefined {
  return Object.hasOwn(ways, branch) ? ways[branch] : undefined;
}

/** Whether the node waits for all tokens that can still come to it. */
export function isJoin({ data }: PlanNode): boolean {
  return data.join === 'all';
}

/** When a contact may enter the workflow again. */
export const reentries = ['never', 'after_finish', 'always'] as const;
export type Reentry = (typeof reentries)[number];

/** When messages may be sent. */
export const windows = ['any', 'business_hours'] as const;
export type Window = (typeof windows)[number];

/** Milliseconds between two starts at a workflow's `rate`. At a slower rate, starts would wait until their runs are too old to go on. */
export const startInterval = { shortest: 1, longest: day } as const;

/** The workflow's open property `settings`, with defaults for what is missing or cannot be read. */
export interface Settings {
  readonly reentry: Reentry;
  /** A text of the contact ends the run. */
  readonly stopOnReply: boolean;
  /** When its messages may be sent. */
  readonly window: Window;
  /** An event of the contact that ends the run. */
  readonly goal?: AwaitedEvent;
  /** How many runs may start in a time, beyond the first ones; 300 a minute unless stated. */
  readonly rate: { readonly value: number; readonly milliseconds: number };
}

/** An event of the run's contact that something waits for. */
export interface AwaitedEvent extends Filter {
  readonly topic: Topic;
}

/** The topics that may end a run of this plan at any time. */
export function endingTopics({ settings: { goal, stopOnReply } }: Pick<Plan, 'settings'>): Topic[] {
  return [
    ...new Set<Topic>([
      ...(goal === undefined ? [] : [goal.topic]),
      ...(stopOnReply ? (['message.received'] as const) : []),
    ]),
  ];
}

/** Limits what a run may have before it fails as `too_long`; its length in time is `longestRun`. Source: the page of workflows, "Guards". */
export const runLimits = { steps: 1_000, tokens: 50 } as const;

/** Milliseconds of a run at most: the longest wait, and a day for the steps around it. */
export const longestRun = longestWait + day;

export const tooLong = 'too_long';
