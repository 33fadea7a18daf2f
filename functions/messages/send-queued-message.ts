import { after } from '../../shared/kernel/time.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import type { QueuedMessage } from './model/queued-message.ts';
import { sendQueued } from './model/send-queued.ts';
import { sendBatch } from './model/sending-batch.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: prefixOf(['OUTGOING']) },
  summary: 'Send queued messages through the SMS provider',
  uses: { organizations: 'write', sms: 'send' },
  async run(changes, { organizations, sms, now }) {
    const failures = await sendBatch(
      changes.map(({ partition, data }) => {
        const organizationId = organizationIn(partition) ?? '';
        const queued = data as QueuedMessage;
        return {
          to: `${organizationId} ${queued.to}`,
          send: ({ late, left }) =>
            sendQueued(queued, {
              table: organizations(organizationId),
              sms,
              now: after(now, late),
              timeout: left,
            }),
        };
      }),
    );
    if (failures.length > 0) {
      // The whole batch is delivered again; messages sent meanwhile are no longer queued.
      throw new Error(`Messages to ${failures.length} numbers could not be sent`, { cause: failures[0] });
    }
  },
});
