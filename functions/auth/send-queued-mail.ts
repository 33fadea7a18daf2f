import { forEachConcurrently } from '../../shared/kernel/for-each-concurrently.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { delayMail } from './model/delayed-mail.ts';
import type { QueuedMail } from './model/queued-mail.ts';
import { sendMail } from './model/send-mail.ts';

/** Mails sent at the same time. */
const width = 10;

/** Milliseconds of a run after which it begins no more mails: a provider that does not answer must not hold up the stream. */
const begunWithin = 10 * second;

export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: prefixOf(['OUTGOING_MAIL']) },
  summary: 'Send queued mail',
  uses: {
    identity: 'write',
    organizations: 'write',
    newcomerPolicy: 'read',
    mail: 'send',
    queue: 'outgoingMail',
  },
  async run(changes, { identity, organizations, newcomerPolicy, mail, queue, now }) {
    const start = performance.now();
    const problems: unknown[] = [];
    let delayed = 0;
    const [lost] = await forEachConcurrently(changes, width, async ({ data }) => {
      const { mailId } = data as QueuedMail;
      const late = performance.now() - start;
      try {
        if (late > begunWithin) {
          throw new Error('The time of this run is over');
        }
        const sending = { identity, organizations, newcomerPolicy, mail, now: after(now, late) };
        problems.push(...[(await sendMail(mailId, sending)) ?? []].flat());
      } catch (error) {
        problems.push(error);
        await delayMail(queue, { mailId, tries: 1 });
        delayed += 1;
      }
    });
    if (lost !== undefined) {
      throw new Error('Mails could be neither sent nor put off', { cause: lost });
    }
    return problems.length === 0 ? {} : { delayed, problem: problems[0] };
  },
});
