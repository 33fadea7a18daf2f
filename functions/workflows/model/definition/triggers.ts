import { Failure } from '../../../../shared/kernel/failure.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { Filter } from './filter.ts';
import { TriggerData, triggerType } from './flow-nodes.ts';
import { readData } from './node-data.ts';
import { toAwaitedEvent } from './node-fields.ts';
import type { AwaitedEvent, Plan, Reentry, Settings } from './plan.ts';
import type { Topic } from './topics.ts';

/** Starts runs at a node. */
export interface StartingTrigger extends AwaitedEvent {
  readonly nodeId: string;
}

/**
 * The triggers of a plan that can be read. One with an unknown topic or an unreadable filter starts nothing: without its filter it
 * would start runs for everybody.
 */
export function readableTriggers({ nodes }: Plan): StartingTrigger[] {
  return Object.values(nodes).flatMap(({ id, type, data }) => {
    const read = type === triggerType ? readData(TriggerData, data) : undefined;
    return read?.success ? [{ nodeId: id, ...toAwaitedEvent(read.data) }] : [];
  });
}

/** Trigger nodes of a workflow that start runs: their rows must fit into one transaction, and are read with every event of their topic. */
export const maxTriggers = 50;

/** Bytes of JSON that the filters of a workflow for one topic may have together: each event of the topic is compared with all of them. */
export const filtersLimit = 8 * 1024;

/** The triggers that start runs, in the order of the graph, and why others do not. */
export function startingTriggers(plan: Plan): {
  readonly starting: readonly StartingTrigger[];
  readonly others: readonly { readonly nodeId: string; readonly message: string }[];
} {
  const starting: StartingTrigger[] = [];
  const others: { nodeId: string; message: string }[] = [];
  const sizes = new Map<string, number>();
  for (const trigger of readableTriggers(plan)) {
    const { nodeId, topic, filter } = trigger;
    const size = (sizes.get(topic) ?? 0) + Buffer.byteLength(JSON.stringify(filter));
    if (starting.length === maxTriggers) {
      others.push({
        nodeId,
        message: `Only the first ${maxTriggers} triggers of a workflow start runs. ${split}`,
      });
    } else if (size > filtersLimit) {
      others.push({ nodeId, message: `${tooLarge(topic)} ${split}` });
    } else {
      sizes.set(topic, size);
      starting.push(trigger);
    }
  }
  return { starting, others };
}

const tooLarge = (topic: string) =>
  `The trigger starts no runs: the filters of a workflow for ${topic} may have ${filtersLimit / 1024} KB together, as JSON.`;

const split = 'Make another workflow for the others.';

/**
 * The trigger nodes of an enabled workflow that start runs at a topic, with all that is needed to start them. It is there exactly as long
 * as the workflow is enabled, and always that of its newest revision: whatever changes the workflow writes it in its transaction.
 */
export interface TriggerRow {
  readonly workflowId: string;
  /** The owner of the workflow, as whom its runs act. */
  readonly userId: string;
  /** The most rights that its runs may use; those of the owner unless stated. */
  readonly most?: Reach;
  /** The revision that runs start on. */
  readonly revision: number;
  readonly reentry: Reentry;
  readonly rate: Settings['rate'];
  /** At least one; in the order of the graph. */
  readonly triggers: readonly Trigger[];
}

/** A trigger node. */
export interface Trigger extends Filter {
  readonly nodeId: string;
}

export const triggerKey = (topic: string, workflowId: string): Key<TriggerRow> => ({
  partition: ['TRIGGERS', topic],
  sort: ['WORKFLOW', workflowId],
});

/** Trigger nodes that start in one transaction. */
export const nodesAtOnce = 6;

/** Workflows of an organization that may be enabled with triggers for the same topic: each of its events is compared with all of them. */
export const maxEnabled = 50;

/** How many enabled workflows have triggers for a topic, as the native attribute `workflows`. */
export const triggerCountKey = (topic: string): Key<never> => ({
  partition: ['TRIGGER_COUNTS'],
  sort: ['TOPIC', topic],
});

/**
 * Counts a workflow whose triggers change from some topics to others, in the transaction that changes them. It fails with a 409 `Failure`
 * where there are too many.
 */
export function triggerCountActions(
  table: TableWriter,
  before: readonly Topic[],
  after: readonly Topic[],
): Action[] {
  // A start by hand names its workflow, so nothing reads triggers of that topic.
  const isCounted = (topic: Topic) => topic !== 'manual.started';
  return [
    ...after
      .filter((topic) => isCounted(topic) && !before.includes(topic))
      .map((topic) =>
        table.updateAction(triggerCountKey(topic), {
          update: 'ADD workflows :one',
          when: 'attribute_not_exists(workflows) OR workflows < :most',
          values: { one: 1, most: maxEnabled },
          otherwise: () =>
            new Failure(
              'CONFLICT',
              `At most ${maxEnabled} workflows of an organization may be enabled with a trigger for ${topic}. Disable one of them first.`,
            ),
        }),
      ),
    ...before
      .filter((topic) => isCounted(topic) && !after.includes(topic))
      .map((topic) =>
        table.updateAction(triggerCountKey(topic), { update: 'ADD workflows :less', values: { less: -1 } }),
      ),
  ];
}

/** Says that runs may wait for the topic: for an event, a goal or a reply. It stays for good. */
export const awaitedTopicKey = (topic: string): Key<AwaitedTopic> => ({
  partition: ['TRIGGERS', topic],
  sort: ['AWAITED'],
});

export interface AwaitedTopic {
  readonly isAwaited: true;
}

/** The triggers of all enabled workflows for a topic, and whether runs may wait for it. */
export const triggerRange = (topic: Topic): Range<TriggerRow | AwaitedTopic> => ({
  partition: ['TRIGGERS', topic],
});

/** Reads the triggers of a topic, and whether runs may wait for it, from the records of its range. */
export function subscribersIn(records: readonly { readonly data: TriggerRow | AwaitedTopic }[]): {
  readonly triggers: readonly TriggerRow[];
  readonly isAwaited: boolean;
} {
  const triggers = records.flatMap(({ data }) => ('triggers' in data ? [data] : []));
  return { triggers, isAwaited: triggers.length < records.length };
}
