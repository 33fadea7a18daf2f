import { after } from '../../shared/kernel/time.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import type { QueuedMessage } from '../../shared/messages/queued-message.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { delay } from './model/delayed-message.ts';
import { sendInTurn } from './model/send-waiting.ts';
import { sendBatch } from './model/sending-batch.ts';

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: prefixOf(['OUTGOING']) },
  summary: 'Send queued messages through the SMS provider',
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    newcomerPolicy: 'read',
    sms: 'send',
    objects: 'downloads',
    queue: 'outgoingMessages',
  },
  async run(changes, { identity, organizations, platform, newcomerPolicy, sms, objects, queue, now, newId }) {
    const { delayed, reason } = await sendBatch(
      changes.map(({ partition, data }) => {
        const organizationId = organizationIn(partition) ?? '';
        const queued = data as QueuedMessage;
        const { contactId, messageId } = queued;
        return {
          contact: `${organizationId} ${contactId}`,
          send: ({ late, left }) =>
            sendInTurn(queued, {
              table: organizations(organizationId),
              identity,
              platform,
              newId,
              newcomerPolicy,
              sms,
              downloads: objects(organizationId),
              now: after(now, late),
              timeout: left,
            }),
          // Nothing behind these changes waits for a provider.
          delay: (why) => delay(queue, { organizationId, contactId, messageId, tries: 1 }, why),
        };
      }),
    );
    return delayed === 0 ? {} : { delayed, problem: reason };
  },
});
