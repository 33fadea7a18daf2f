import { domainToASCII } from 'node:url';
import type { MailProvider } from '../../kernel/providers/mail-provider.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import { required } from '../environment.ts';
import type { ClientLimits } from './client-limits.ts';
import { clientConfiguration, lateClient } from './late-client.ts';

/** An email without a response may have been sent; then it is sent twice, with the same link. */
const usualLimits: ClientLimits = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

/** Sends through Amazon SES, from the address MAIL_FROM. */
export function amazonSes(
  environment: NodeJS.ProcessEnv,
  limits: ClientLimits = usualLimits,
): Pick<MailProvider, 'send'> {
  const from = required(environment, 'MAIL_FROM');
  const configuration = clientConfiguration(environment, environment.AWS_ENDPOINT_URL_SESV2, limits);
  const { MAIL_REGION: region = configuration.region } = environment;
  const load = lateClient(async () => {
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
    return { client: new SESv2Client({ ...configuration, region }), SendEmailCommand };
  });
  return {
    async send({ to, subject, text }) {
      const { client, SendEmailCommand } = await load();
      const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [inAscii(to)] },
        Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
      });
      try {
        await client.send(command);
        return { status: 'sent' };
      } catch (error) {
        const { name, code = name } = error as Error & { code?: string };
        // A refusal of this one email, which another try would meet again. Everything else the operator can fix within a day, also
        // that an identity is not verified yet, or the account still in the sandbox: MessageRejected.
        if (name === 'BadRequestException') {
          const reason = 'The mail service does not accept email to this address.';
          return { status: 'failed', reason, isExpected: true };
        }
        // The text of the error is left out: it may quote the address.
        const problem = Object.assign(new Error(`SES did not send an email: ${code}`), { name });
        throw isTransient(error) ? unavailable(problem) : problem;
      }
    },
  };
}

/** The address with its domain in Punycode, as SES asks for. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return address.slice(0, at) + (domainToASCII(domain) || domain);
}
