import { TriggerData, triggerType } from './flow-nodes.ts';
import { readData } from './node-data.ts';
import { awaitedEventOf } from './node-fields.ts';
import type { AwaitedEvent, Plan } from './plan.ts';

/** What starts runs at a node. */
export interface Trigger extends AwaitedEvent {
  readonly nodeId: string;
}

/**
 * The triggers of a plan that can be read. One with an unknown topic or an unreadable filter starts nothing: without its filter it
 * would start runs for everybody.
 */
export function triggersOf({ nodes }: Plan): Trigger[] {
  return Object.values(nodes).flatMap(({ id, type, data }) => {
    const read = type === triggerType ? readData(TriggerData, data) : undefined;
    return read?.success ? [{ nodeId: id, ...awaitedEventOf(read.data) }] : [];
  });
}
