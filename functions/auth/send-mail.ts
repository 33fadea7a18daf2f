import { queueOperation } from '../../shared/kernel/trigger.ts';
import { type PostponedMail, postpone } from './model/postponed-mail.ts';
import { sendMail } from './model/send-mail.ts';

export default queueOperation({
  queue: 'outgoingMail',
  summary: 'Send mail',
  uses: {
    identity: 'write',
    organizations: 'write',
    newcomerPolicy: 'read',
    mail: 'send',
    queue: 'outgoingMail',
  },
  async run(message, { identity, organizations, newcomerPolicy, mail, queue, now }) {
    const { mailId, tries } = message as PostponedMail;
    try {
      const failed = await sendMail(mailId, { identity, organizations, newcomerPolicy, mail, now });
      return failed === undefined ? { tries } : { tries, problem: failed };
    } catch (problem) {
      await postpone(queue, { mailId, tries: tries + 1 });
      return { tries, problem };
    }
  },
});
