import { handOver } from '../../shared/kernel/hand-over.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import type { QueuedMail } from '../../shared/organizations/queued-mail.ts';
import { keyPrefix } from '../../shared/table/key.ts';
import { enqueueMail } from './model/mail-job.ts';

/** The stream only hands mail over: however slow the provider is, nothing else in the stream waits for it. */
export default streamOperation({
  reader: 'background',
  on: { change: 'INSERT', sortPrefix: keyPrefix(['OUTGOING_MAIL']) },
  summary: 'Hand queued email over to the function that sends it',
  uses: { queue: 'outgoingMail' },
  run: (changes, { queue }) =>
    handOver(changes, ({ data }) => enqueueMail(queue, { mailId: (data as QueuedMail).mailId, tries: 0 })),
});
