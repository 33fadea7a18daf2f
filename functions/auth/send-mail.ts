import { queueOperation } from '../../shared/kernel/trigger.ts';
import { enqueueMail, type MailJob } from './model/mail-job.ts';
import { sendMail } from './model/send-mail.ts';

export default queueOperation({
  queue: 'outgoingMail',
  summary: 'Send mail',
  uses: {
    identity: 'write',
    organizations: 'write',
    trialPolicy: 'read',
    mail: 'send',
    queue: 'outgoingMail',
  },
  async run(message, { identity, organizations, trialPolicy, mail, queue, now, newId }) {
    const { mailId, tries } = message as MailJob;
    try {
      const sending = { identity, organizations, trialPolicy, mail, now, newId };
      const failed = await sendMail(mailId, sending);
      if (failed === undefined) {
        return { tries };
      }
      const { reason, isExpected } = failed;
      // An error sets off an alarm, which nobody must be able to do by asking for mail to an address that takes none.
      return isExpected ? { tries, refused: reason } : { tries, problem: new MailFailed(reason) };
    } catch (problem) {
      await enqueueMail(queue, { mailId, tries: tries + 1 });
      return { tries, problem };
    }
  },
});

/** An email that will never be sent, as an error for the log. */
class MailFailed extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MailFailed';
  }
}
