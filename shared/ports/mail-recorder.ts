import { appendFile } from 'node:fs/promises';
import type { MailProvider } from '../kernel/providers/mail-provider.ts';

/** Sends nothing. It appends each email to a file, as a line of JSON; only the owner may read it, because its links are secret. */
export function mailRecorder(file: string): Pick<MailProvider, 'send'> {
  return {
    async send({ to, subject, text }) {
      await appendFile(file, `${JSON.stringify({ to, subject, text })}\n`, { mode: 0o600 });
      return { status: 'sent' };
    },
  };
}
