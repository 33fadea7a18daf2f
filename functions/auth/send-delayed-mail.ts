import { queueOperation } from '../../shared/kernel/trigger.ts';
import { type DelayedMail, delayMail } from './model/delayed-mail.ts';
import { sendMail } from './model/send-mail.ts';

export default queueOperation({
  queue: 'outgoingMail',
  summary: 'Send mail that could not be sent before',
  uses: {
    identity: 'write',
    organizations: 'write',
    newcomerPolicy: 'read',
    mail: 'send',
    queue: 'outgoingMail',
  },
  async run(message, { identity, organizations, newcomerPolicy, mail, queue, now }) {
    const { mailId, tries } = message as DelayedMail;
    try {
      const failed = await sendMail(mailId, { identity, organizations, newcomerPolicy, mail, now });
      return failed === undefined ? { tries } : { tries, problem: failed };
    } catch (problem) {
      await delayMail(queue, { mailId, tries: tries + 1 });
      return { tries, problem };
    }
  },
});
