import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { providerUnavailable, refused } from '../kernel/providers/sms-outcomes.ts';
import type { OutgoingSms, SmsOutcome, SmsProvider } from '../kernel/providers/sms-provider.ts';
import { timestamp } from '../kernel/time.ts';

/** Numbers that fail as with Twilio's test credentials. Source: https://www.twilio.com/docs/iam/test-credentials */
const codesByRecipient = new Map([
  ['+15005550001', 21211],
  ['+15005550002', 21612],
  ['+15005550003', 21408],
  ['+15005550004', 21610],
  ['+15005550009', 21614],
]);
const codesBySender = new Map([
  ['+15005550001', 21212],
  ['+15005550007', 21606],
]);

/** With Twilio's test credentials a sender with a full queue; here a recipient too, so that any sender can try it. */
const busy = '+15005550008';

/** Sends nothing. It appends each message with its outcome to a file, as a line of JSON. */
export function smsRecorder({ file, now, apiUrl }: { file: string; now: Date; apiUrl: string }): SmsProvider {
  return {
    async send(message) {
      const { id, from = null, to, content, mediaUrls, statusPath } = message;
      const outcome = outcomeOf(message);
      const statusCallback = apiUrl + statusPath;
      const line = { at: timestamp(now), id, from, to, content, mediaUrls, statusCallback, ...outcome };
      await appendFile(file, `${JSON.stringify(line)}\n`);
      return outcome;
    },
  };
}

function outcomeOf({ id, from = '', to }: OutgoingSms): SmsOutcome {
  if (to === busy || from === busy) {
    throw providerUnavailable(new Error(`${busy} is always busy`));
  }
  const code = codesByRecipient.get(to) ?? codesBySender.get(from);
  return code === undefined ? { status: 'sent', providerMessageId: recordedId(id) } : refused(code);
}

/** As long as Twilio's ids, and the same for every try of a message. */
export function recordedId(messageId: string): string {
  return `SM${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`;
}
