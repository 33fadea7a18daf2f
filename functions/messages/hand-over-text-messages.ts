import { handOver } from '../../shared/kernel/hand-over.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import type { QueuedMessage } from '../../shared/messages/queued-message.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../shared/table/spaces.ts';
import { enqueueText } from './model/text-job.ts';

/** The stream only hands text messages over: however slow the provider is, nothing else in the stream waits for it. */
export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['OUTGOING']) },
  summary: 'Hand queued text messages over to the function that sends them',
  uses: { queue: 'outgoingTexts' },
  run: (changes, { queue }) =>
    handOver(changes, ({ partition, data }) => {
      const { messageId } = data as QueuedMessage;
      const [organizationId = '', contactId = ''] = [organizationIn(partition), contactIn(partition)];
      return enqueueText(queue, { organizationId, contactId, messageId, tries: 0 });
    }),
});
