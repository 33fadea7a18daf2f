import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { provideMail, provideMailSender } from '../../shared/ports/mail.ts';
import { scopeOf } from '../harness/objects.ts';

interface Received {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** A server that behaves like Amazon SES, in what sending an email needs of it. */
let received: Received[] = [];
let answer: RequestListener;
const server = createServer(async (request, response) => {
  const { url: path, headers } = request;
  received.push({ path, authorization: headers.authorization, body: await json(request) });
  answer(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sends: RequestListener = (_, response) =>
  void response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ MessageId: '0100018c' }));
const fails =
  (status: number, type: string): RequestListener =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
      .end(JSON.stringify({ message: 'Words of Amazon about grace@example.com' }));

const environment = {
  MAIL_PROVIDER: 'ses',
  MAIL_FROM: 'crm@example.com',
  MAIL_REGION: 'eu-west-1',
  APP_URL: 'https://app.example.com',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
};
const mail = { to: 'grace@example.com', subject: 'Grüße', text: 'One\n\nTwo 👋' };

/** What the provider makes of an email that the server answers like this, and what the server got. */
async function sent(by: RequestListener, to = mail.to) {
  received = [];
  answer = by;
  const outcome = await provideMail(environment)(scopeOf(undefined))
    .send({ ...mail, to })
    .catch((error: unknown) => error);
  return { outcome, received };
}

test('An email is sent by Amazon SES from the configured address, in the region of the identity', async () => {
  const { outcome } = await sent(sends);
  expect(outcome).toEqual({ status: 'sent' });
  expect(received).toEqual([
    {
      path: '/v2/email/outbound-emails',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request, /,
      ),
      body: {
        FromEmailAddress: 'crm@example.com',
        Destination: { ToAddresses: ['grace@example.com'] },
        Content: {
          Simple: {
            Subject: { Data: 'Grüße', Charset: 'UTF-8' },
            Body: { Text: { Data: 'One\n\nTwo 👋', Charset: 'UTF-8' } },
          },
        },
      },
    },
  ]);
});

test('A domain with characters of other scripts is written in Punycode', async () => {
  const { outcome, received: requests } = await sent(sends, 'grace@bücher.example');
  expect(outcome).toEqual({ status: 'sent' });
  expect(requests).toMatchObject([
    { body: { Destination: { ToAddresses: ['grace@xn--bcher-kva.example'] } } },
  ]);
});

test.each(['BadRequestException', 'BadRequestException:http://internal.amazon.com/coral/'])(
  'An email for which SES returns %s is refused for good, and no word of the response is shown',
  async (type) => {
    const { outcome } = await sent(fails(400, type));
    expect(outcome).toMatchObject({ status: 'failed', reason: expect.stringContaining('mail service') });
    expect(JSON.stringify(outcome)).not.toContain('grace');
  },
);

test.each([
  [429, 'TooManyRequestsException', 1],
  [400, 'LimitExceededException', 2],
  // Also while an identity waits to be verified.
  [400, 'MessageRejected', 1],
  [400, 'SendingPausedException', 1],
  [400, 'AccountSuspendedException', 1],
  [400, 'MailFromDomainNotVerifiedException', 1],
  [403, 'AccessDeniedException', 1],
  [404, 'NotFoundException', 1],
  [503, 'ServiceUnavailable', 2],
])(
  'An email for which SES returns %i %s can be sent later, and its error names nobody',
  async (status, type, tries) => {
    const { outcome } = await sent(fails(status, type));
    expect(outcome).toBeInstanceOf(Error);
    expect(received).toHaveLength(tries);
    const { message, cause } = outcome as Error;
    expect(`${message} ${cause}`).toContain(type);
    expect(`${message} ${cause}`).not.toContain('grace');
  },
);

test('An email that the service takes at the second try is sent', async () => {
  let tries = 0;
  const { outcome } = await sent((request, response) => {
    tries += 1;
    (tries === 1 ? fails(500, 'InternalFailure') : sends)(request, response);
  });
  expect(outcome).toEqual({ status: 'sent' });
});

test('Links lead to the web app, or to the documentation of the API where there is none', () => {
  const linksOf = (more: Record<string, string | undefined>) =>
    provideMail({ ...environment, ...more })(scopeOf(undefined));
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
  expect(await provideMail(none)(scopeOf(undefined)).send(mail)).toEqual({
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
