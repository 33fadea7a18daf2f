import type { MailProvider, MailSender, OutgoingMail } from '../../shared/kernel/providers/mail-provider.ts';
import { unavailable } from '../../shared/kernel/transient-errors.ts';

/** How the provider treats an email; `unavailable` throws. */
export type MailBehaviour = 'sends' | 'refuses' | 'unavailable';

/** A provider in memory that records what it is given, and fails as a test says. */
export interface RecordingMail extends MailProvider, MailSender {
  /** The sent emails, oldest first; one that was sent twice is there twice. */
  readonly sent: readonly OutgoingMail[];
  /** Sets how emails to an address are treated from now on; others are sent. */
  behave(to: string, behaviour: MailBehaviour): void;
  /** The subject and the text of the emails to an address. */
  to(address: string): OutgoingMail[];
}

/** Why `refuses` refuses. */
export const mailRefusal = 'The mail service does not accept email to this address.';

export function recordingMail(): RecordingMail {
  const sent: OutgoingMail[] = [];
  const behaviours = new Map<string, MailBehaviour>();
  return {
    isConfigured: true,
    async send(mail) {
      const behaviour = behaviours.get(mail.to);
      if (behaviour === 'unavailable') {
        throw unavailable(new Error('The test wants it so'));
      }
      if (behaviour === 'refuses') {
        return { status: 'failed', reason: mailRefusal, isExpected: true };
      }
      sent.push(mail);
      return { status: 'sent' };
    },
    linkTo: (purpose, token) => `https://app.example.com/${purpose}#token=${token}`,
    sent,
    to: (address) => sent.filter(({ to }) => to === address),
    behave: (to, behaviour) => void behaviours.set(to, behaviour),
  };
}

/** The token that the link of an email holds, as a person who opens it has it. */
export function tokenIn({ text }: OutgoingMail): string {
  const link = /https?:\S+/.exec(text)?.[0];
  const token = link?.split('token=')[1];
  if (token === undefined) {
    throw new Error('The email has no link with a token');
  }
  return token;
}
