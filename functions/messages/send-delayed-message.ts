import { queueOperation } from '../../shared/kernel/trigger.ts';
import { type DelayedMessage, delay } from './model/delayed-message.ts';
import { sendDelayed } from './model/send-delayed.ts';

export default queueOperation({
  queue: 'outgoingMessages',
  summary: 'Send messages that could not be sent before, with those to the same contact that wait for them',
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    newcomerPolicy: 'read',
    sms: 'send',
    objects: 'downloads',
    queue: 'outgoingMessages',
  },
  async run(message, { identity, organizations, platform, newcomerPolicy, sms, objects, queue, now, newId }) {
    const delayed = message as DelayedMessage;
    const { organizationId, tries } = delayed;
    try {
      await sendDelayed(delayed, {
        table: organizations(organizationId),
        identity,
        platform,
        newId,
        newcomerPolicy,
        sms,
        downloads: objects(organizationId),
        now,
      });
      return { tries };
    } catch (problem) {
      await delay(queue, { ...delayed, tries: tries + 1 }, problem);
      return { tries, problem };
    }
  },
});
