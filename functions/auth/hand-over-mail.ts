import { forEachConcurrently } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { postpone } from './model/postponed-mail.ts';
import type { QueuedMail } from './model/queued-mail.ts';

/** Mails handed over at the same time. */
const width = 10;

/** The stream only hands mail over: however slow the provider is, nothing else in the stream waits for it. */
export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: prefixOf(['OUTGOING_MAIL']) },
  summary: 'Hand queued mail over to the function that sends it',
  uses: { queue: 'outgoingMail' },
  async run(changes, { queue }) {
    const [lost] = await forEachConcurrently(changes, width, ({ data }) =>
      postpone(queue, { mailId: (data as QueuedMail).mailId, tries: 0 }),
    );
    if (lost !== undefined) {
      throw new Error('Mail could not be handed over', { cause: lost });
    }
  },
});
