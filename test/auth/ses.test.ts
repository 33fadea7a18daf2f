import { SESv2Client } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, expect, test } from 'vitest';
import { provideMail, provideMailSender } from '../../shared/ports/mail.ts';

const ses = mockClient(SESv2Client);
afterEach(() => ses.reset());
// Other files of the process use the class as it is.
afterAll(() => ses.restore());

const environment = {
  MAIL_PROVIDER: 'ses',
  MAIL_FROM: 'crm@example.com',
  MAIL_REGION: 'eu-west-1',
  APP_URL: 'https://app.example.com',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
const mail = { to: 'grace@example.com', subject: 'Grüße', text: 'One\n\nTwo 👋' };

test('An email is sent by Amazon SES from the configured address, in the region of the identity', async () => {
  ses.resolves({});
  expect(await provideMail(environment)().send(mail)).toEqual({ status: 'sent' });
  const { args, thisValue } = ses.call(0);
  expect(await thisValue.config.region()).toBe('eu-west-1');
  expect(args[0].input).toEqual({
    FromEmailAddress: 'crm@example.com',
    Destination: { ToAddresses: ['grace@example.com'] },
    Content: {
      Simple: {
        Subject: { Data: 'Grüße', Charset: 'UTF-8' },
        Body: { Text: { Data: 'One\n\nTwo 👋', Charset: 'UTF-8' } },
      },
    },
  });
});

test('A domain with characters of other scripts is written in Punycode', async () => {
  ses.resolves({});
  await provideMail(environment)().send({ ...mail, to: 'grace@bücher.example' });
  const Destination = { ToAddresses: ['grace@xn--bcher-kva.example'] };
  expect(ses.call(0).args[0].input).toMatchObject({ Destination });
});

/** The outcome of an email that SES refuses with this error, or the error. */
function refused(name: string, httpStatusCode: number) {
  const error = new Error('Words of Amazon about grace@example.com');
  ses.rejects(Object.assign(error, { name, $metadata: { httpStatusCode } }));
  return provideMail(environment)()
    .send(mail)
    .catch((thrown: unknown) => thrown);
}

test('An email that SES takes for malformed is refused for good, and no word of the response is shown', async () => {
  const outcome = await refused('BadRequestException', 400);
  expect(outcome).toMatchObject({ status: 'failed', reason: expect.stringContaining('mail service') });
  expect(JSON.stringify(outcome)).not.toContain('grace');
});

test.each([
  ['TooManyRequestsException', 429],
  ['LimitExceededException', 400],
  // Also while an identity waits to be verified.
  ['MessageRejected', 400],
  ['SendingPausedException', 400],
  ['AccountSuspendedException', 400],
  ['MailFromDomainNotVerifiedException', 400],
  ['AccessDeniedException', 403],
  ['NotFoundException', 404],
  ['ServiceUnavailable', 503],
])(
  'An email for which SES returns %s can be sent later, and its error names nobody',
  async (name, status) => {
    const { message, cause } = (await refused(name, status)) as Error;
    expect(`${message} ${cause}`).toContain(name);
    expect(`${message} ${cause}`).not.toContain('grace');
  },
);

test('Links lead to the web app, or to the documentation of the API where there is none', () => {
  const linksOf = (more: Record<string, string | undefined>) => provideMail({ ...environment, ...more })();
  expect(linksOf({}).linkTo('reset-password', 'a.b.c')).toBe(
    'https://app.example.com/reset-password#token=a.b.c',
  );
  const api = { APP_URL: undefined, API_URL: 'https://api.example.com' };
  expect(linksOf(api).linkTo('accept-invitation', 'a.b.c')).toBe(
    'https://api.example.com/api/docs#/Auth/accept-invitation?token=a.b.c',
  );
  for (const { linkTo } of [linksOf({}), linksOf(api)]) {
    const link = linkTo('reset-password', 'a.b.c');
    expect(link.split('token=')[1]).toBe('a.b.c');
    // What a browser asks the server for.
    expect(`${new URL(link).pathname}${new URL(link).search}`).not.toContain('a.b.c');
  }
});

test('Without a sender every email fails, and says what the operator must do', async () => {
  const none = { MAIL_PROVIDER: 'none', API_URL: 'https://api.example.com' };
  expect(await provideMail(none)().send(mail)).toEqual({
    status: 'failed',
    reason: 'No email sender is configured. The operator of this service must set mailFrom.',
  });
  expect(provideMailSender(none)()).toEqual({ isConfigured: false });
  expect(provideMailSender(environment)()).toEqual({ isConfigured: true });
});

test.each([
  [{ API_URL: 'https://api.example.com' }, 'MAIL_PROVIDER must be "ses", "recorder" or "none"'],
  [{ MAIL_PROVIDER: 'recorder', API_URL: 'https://api.example.com' }, 'MAIL_RECORD_FILE is not set'],
  [{ MAIL_PROVIDER: 'ses', API_URL: 'https://api.example.com' }, 'MAIL_FROM is not set'],
  [{ MAIL_PROVIDER: 'none' }, 'API_URL is not set'],
])('The environment %o is refused: %s', (incomplete, sentence) => {
  expect(() => provideMail(incomplete)).toThrow(sentence);
});
