import { appendFile } from 'node:fs/promises';
import type {
  LinkPurpose,
  MailOutcome,
  MailProvider,
  MailSender,
} from '../kernel/providers/mail-provider.ts';
import { amazonSes } from './aws/ses.ts';
import { required } from './environment.ts';

/** The outcome where no sender is configured. */
const noSender: MailOutcome = {
  status: 'failed',
  reason: 'No email sender is configured. The operator of this service must set mailFrom.',
};

/** The provider of email that MAIL_PROVIDER names: `ses`, `none`, or `recorder` on a developer's machine. */
export function provideMail(environment: NodeJS.ProcessEnv): () => MailProvider {
  const linkTo = linksIn(environment);
  switch (environment.MAIL_PROVIDER) {
    case 'ses': {
      const ses = amazonSes(environment);
      return () => ({ isConfigured: true, ...ses, linkTo });
    }
    case 'recorder': {
      const recorder = mailRecorder(required(environment, 'MAIL_RECORD_FILE'));
      return () => ({ isConfigured: true, ...recorder, linkTo });
    }
    case 'none':
      return () => ({ isConfigured: false, send: async () => noSender, linkTo });
    default:
      throw new Error('MAIL_PROVIDER must be "ses", "recorder" or "none"');
  }
}

/** The port `mail` of those who only ask whether mail can be sent. */
export function provideMailSender(environment: NodeJS.ProcessEnv): () => MailSender {
  const isConfigured = required(environment, 'MAIL_PROVIDER') !== 'none';
  return () => ({ isConfigured });
}

/**
 * The pages `/reset-password` and `/accept-invitation` of the web app at APP_URL. Without one, the operations of these names on the
 * documentation page of the API at API_URL. The token is the end of the fragment, which browsers send to no server: so it is in no
 * access log.
 */
function linksIn(environment: NodeJS.ProcessEnv): MailProvider['linkTo'] {
  const { APP_URL: app } = environment;
  if (app !== undefined) {
    return (purpose: LinkPurpose, token: string) => `${app}/${purpose}#token=${token}`;
  }
  const api = required(environment, 'API_URL');
  return (purpose, token) => `${api}/api/docs#/Auth/${purpose}?token=${token}`;
}

/** Sends nothing. It appends each email to a file, as a line of JSON; only the owner may read it, because its links are secret. */
function mailRecorder(file: string): Pick<MailProvider, 'send'> {
  return {
    async send({ to, subject, text }) {
      await appendFile(file, `${JSON.stringify({ to, subject, text })}\n`, { mode: 0o600 });
      return { status: 'sent' };
    },
  };
}
