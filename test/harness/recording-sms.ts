import { providerUnavailable } from '../../shared/kernel/providers/sms-outcomes.ts';
import type { OutgoingSms, SmsProvider } from '../../shared/kernel/providers/sms-provider.ts';
import { recordedId } from '../../shared/ports/sms-recorder.ts';

/** How the provider treats a message; `unavailable` throws. */
export type SmsBehaviour = 'sends' | 'refuses' | 'unavailable';

/** A provider in memory that records what it is given, and fails as a test says. */
export interface RecordingSms extends SmsProvider {
  /** The sent messages, oldest first; one that was sent twice is there twice. */
  readonly sent: readonly OutgoingSms[];
  /** Sets how messages to a number are treated from now on; others are sent. */
  behave(to: string, behaviour: SmsBehaviour): void;
}

/** With what code, and why, `refuses` refuses. */
export const refusalCode = '30007';
export const refusal = 'The recipient does not want this.';

export function recordingSms(): RecordingSms {
  const sent: OutgoingSms[] = [];
  const behaviours = new Map<string, SmsBehaviour>();
  return {
    async send(message) {
      const behaviour = behaviours.get(message.to);
      if (behaviour === 'unavailable') {
        throw providerUnavailable(new Error('The test wants it so'));
      }
      if (behaviour === 'refuses') {
        return { status: 'failed', code: refusalCode, reason: refusal };
      }
      sent.push(message);
      return { status: 'sent', providerMessageId: recordedId(message.id) };
    },
    sent,
    behave: (to, behaviour) => void behaviours.set(to, behaviour),
  };
}
