import { domainToASCII } from 'node:url';
import type { InvocationScope } from '../../kernel/ports.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import type { MailOutcome, MailProvider, OutgoingMail } from '../../mail/mail-provider.ts';
import { type Backoff, retried } from '../../table/backoff.ts';
import { required } from '../environment.ts';
import type { ClientLimits } from './client-limits.ts';
import { signedPosts } from './signed-posts.ts';

/** An email without a response may have been sent; then it is sent twice, with the same link. */
const usualLimits: ClientLimits = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

/**
 * Refusals of this one email, which another try would meet again. Everything else the operator can fix within a day, also that an identity
 * is not verified yet, or the account still in the sandbox: MessageRejected.
 */
const refusals: Readonly<Record<string, string>> = {
  BadRequestException: 'The mail service does not accept email to this address.',
};

/**
 * Sends through Amazon SES, in its own JSON, from the address MAIL_FROM.
 * Source: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
export function amazonSes(environment: NodeJS.ProcessEnv, limits: ClientLimits = usualLimits) {
  const from = required(environment, 'MAIL_FROM');
  const region = environment.MAIL_REGION ?? required(environment, 'AWS_REGION');
  const url = new URL(environment.AWS_ENDPOINT_URL_SESV2 ?? `https://email.${region}.amazonaws.com`);
  const post = signedPosts(environment, { url, service: 'ses', region }, limits);
  const backoff: Backoff = { attempts: limits.maxAttempts, first: 100, longest: 200 };

  async function attempt(mail: OutgoingMail): Promise<MailOutcome> {
    const headers = { 'content-type': 'application/json' };
    const response = await post('/v2/email/outbound-emails', headers, requestOf(mail, from));
    if (response.statusCode === 200) {
      return { status: 'sent' };
    }
    const error = new Refusal(response.statusCode, response.headers, String(response.body));
    const reason = refusals[error.name];
    if (reason === undefined) {
      throw error;
    }
    return { status: 'failed', reason, isExpected: true };
  }

  return ({
    random,
    deadline,
  }: Pick<InvocationScope, 'random' | 'deadline'>): Pick<MailProvider, 'send'> => ({
    send: (mail) =>
      retried({ ...backoff, random, deadline }, () => attempt(mail), {
        isRetryable: isTransient,
        exhausted: unavailable,
      }),
  });
}

function requestOf({ to, subject, text }: OutgoingMail, from: string) {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: [inAscii(to)] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
  };
}

/** The address with its domain in Punycode, as SES asks for. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return address.slice(0, at) + (domainToASCII(domain) || domain);
}

/** An unsuccessful response of SES, named by its error code. Its text is left out: it may quote the address. */
class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(httpStatusCode: number, headers: Readonly<Record<string, string>>, body: string) {
    const type = headers['x-amzn-errortype'] ?? /"__type"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? 'UnknownError';
    const name = type.replace(/^.*#/, '').replace(/:.*$/, '');
    super(`SES responded ${httpStatusCode} ${name}`);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}
