import { queueOperation } from '../../shared/kernel/trigger.ts';
import { NotRecorded } from './model/send-queued.ts';
import { sendWaiting } from './model/send-waiting.ts';
import { enqueueText, type TextJob } from './model/text-job.ts';

export default queueOperation({
  queue: 'outgoingTexts',
  summary: 'Send text messages, each with those to the same contact that wait',
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    trialPolicy: 'read',
    sms: 'send',
    objects: 'downloads',
    queue: 'outgoingTexts',
  },
  async run(message, { identity, organizations, platform, trialPolicy, sms, objects, queue, now, newId }) {
    const text = message as TextJob;
    const { organizationId, tries } = text;
    try {
      await sendWaiting(text, {
        table: organizations(organizationId),
        identity,
        platform,
        newId,
        trialPolicy,
        sms,
        downloads: objects(organizationId),
        now,
      });
      return { tries };
    } catch (problem) {
      const known = problem instanceof NotRecorded ? { answered: problem.answered } : {};
      await enqueueText(queue, { ...text, tries: tries + 1, ...known });
      return { tries, problem };
    }
  },
});
