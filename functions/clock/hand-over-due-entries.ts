import type { DueEntry } from '../../shared/events/due-entry.ts';
import { isSoon, sendDueMessage } from '../../shared/events/due-message.ts';
import { handOver } from '../../shared/kernel/hand-over.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { platformSpace } from '../../shared/table/spaces.ts';

/** So that a wait of 20 seconds takes 20 seconds. What is due later is handed over by the clock, in the minute before. */
export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: '', partitionPrefix: keyPrefix([...platformSpace, 'DUE']) },
  summary: 'Hand what is due within 15 minutes over to the queue that delivers it at its second',
  uses: { queue: 'workflowRuns' },
  run(changes, { queue, now }) {
    const soon = changes.map(({ data }) => data as DueEntry).filter((due) => isSoon(due, now));
    return handOver(soon, (due) => sendDueMessage(queue, due, now));
  },
});
