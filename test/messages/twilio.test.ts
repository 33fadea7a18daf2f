import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import twilioLibrary from 'twilio';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OutgoingSms } from '../../shared/kernel/providers/sms-provider.ts';
import type { PostLimits } from '../../shared/ports/twilio/form-post.ts';
import { twilio } from '../../shared/ports/twilio/twilio.ts';
import type { TwilioCredentials } from '../../shared/ports/twilio/twilio-credentials.ts';
import { timeout } from '../harness/eventually.ts';
import { error, sid, startTwilio, type TwilioServer } from './twilio-server.ts';

const accountSid = `AC${'a1'.repeat(16)}`;
const apiKeySid = `SK${'b2'.repeat(16)}`;
const messagingServiceSid = `MG${'c3'.repeat(16)}`;

const account: TwilioCredentials = {
  accountSid,
  user: accountSid,
  password: 'token',
  from: undefined,
  messagingServiceSid: undefined,
};

const message: OutgoingSms = {
  id: 'message-1',
  from: '+15550123',
  to: '+15550100',
  content: 'Grüße & 100 % = 👋',
  mediaUrls: [],
  statusPath: '/api/webhook/twilio/status?message=1',
};

const apiUrl = 'https://api.example.com';
const statusCallback = apiUrl + message.statusPath;

let server: TwilioServer;
let forgotten: number;
beforeEach(async () => {
  server = await startTwilio();
  forgotten = 0;
});
afterEach(() => server.stop());

/** Sends a message with these credentials; undefined where nobody has stored any. */
function send(
  sms: OutgoingSms,
  credentials: TwilioCredentials | undefined = account,
  baseUrl = server.url,
  limits: Partial<PostLimits> = {},
) {
  return providerOf(credentials, baseUrl, limits).send(sms);
}

/** Waits for the server of the test as long as it takes, but for what a test is about. */
function providerOf(
  credentials: TwilioCredentials | undefined,
  baseUrl = server.url,
  limits: Partial<PostLimits> = {},
) {
  return twilio({
    credentials: {
      current: async () => credentials,
      forget: () => {
        forgotten += 1;
      },
    },
    now: new Date(),
    apiUrl,
    baseUrl,
    limits: { connection: timeout, response: timeout, ...limits },
  });
}

test('A message that Twilio takes is sent, and has the id of Twilio', async () => {
  expect(await send(message)).toEqual({ status: 'sent', providerMessageId: sid });
  expect(server.received).toEqual([
    {
      method: 'POST',
      path: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
      authorization: `Basic ${Buffer.from(`${accountSid}:token`).toString('base64')}`,
      form: [
        ['Body', message.content],
        ['From', '+15550123'],
        ['StatusCallback', statusCallback],
        ['To', '+15550100'],
      ],
    },
  ]);
});

test('A message reaches Twilio as its own library would send it, with attachments and a key of the account', async () => {
  const mediaUrls = ['https://example.com/a.png?x=1&y=2', 'https://example.com/b.pdf'];
  await send({ ...message, mediaUrls }, { ...account, user: apiKeySid, password: 'key secret' });

  const library = new twilioLibrary.RequestClient({ keepAlive: false });
  const request = library.request.bind(library);
  library.request = (options) =>
    request({ ...options, uri: options.uri.replace('https://api.twilio.com', server.url) });
  const client = twilioLibrary(apiKeySid, 'key secret', { accountSid, httpClient: library });
  const { from = '', to, content } = message;
  await client.messages.create({ from, to, body: content, mediaUrl: mediaUrls, statusCallback });

  const [ours, theirs] = server.received;
  expect(ours).toEqual(theirs);
  expect(ours?.form.filter(([name]) => name === 'MediaUrl').map(([, url]) => url)).toEqual(mediaUrls);
});

test('A message without a sender goes out over the messaging service, or else from the number of the account', async () => {
  const nameless = { ...message, from: undefined };
  const sender = (index: number) =>
    server.received[index]?.form.filter(([name]) => name === 'From' || name === 'MessagingServiceSid');

  await send(nameless, { ...account, from: '+15550199' });
  await send(nameless, { ...account, from: '+15550199', messagingServiceSid });
  await send(message, { ...account, from: '+15550199', messagingServiceSid });

  expect(sender(0)).toEqual([['From', '+15550199']]);
  expect(sender(1)).toEqual([['MessagingServiceSid', messagingServiceSid]]);
  expect(sender(2)).toEqual([['From', '+15550123']]);
});

test('A message without a sender fails when the account has none either, and does not reach Twilio', async () => {
  expect(await send({ ...message, from: undefined })).toEqual({
    status: 'failed',
    code: 'NO_PROVIDER',
    reason: 'No sender is configured. Send from a phone number of the organization.',
  });
  expect(server.received).toEqual([]);
});

test('A message of attachments only has no text', async () => {
  await send({ ...message, content: '', mediaUrls: ['https://example.com/a.png'] });
  expect(server.received[0]?.form.map(([name]) => name)).toEqual([
    'From',
    'MediaUrl',
    'StatusCallback',
    'To',
  ]);
});

test('A message fails as long as nobody has stored credentials', async () => {
  expect(await providerOf(undefined).send(message)).toEqual({
    status: 'failed',
    code: 'NO_PROVIDER',
    reason: 'No SMS provider is configured. The operator of this service must store its credentials.',
  });
  expect(server.received).toEqual([]);
});

test.each([
  [400, 21211, 'The number is not a valid phone number.'],
  [400, 21610, 'The recipient has opted out of messages from this sender.'],
  [400, 21614, 'The number cannot receive text messages. It may be a landline.'],
  [400, 21408, 'Sending to the region of this number is not enabled.'],
  [403, 21408, 'Sending to the region of this number is not enabled.'],
  [400, 30007, 'The message was filtered as unwanted, by the provider or by the carrier.'],
  [400, 21606, 'The number of the sender cannot send text messages.'],
  [400, 99999, 'The provider refused the message (code 99999).'],
  [404, 20404, 'The provider refused the message (code 20404).'],
])(
  'A message that Twilio refuses with %i and code %i has failed, in our words',
  async (status, code, reason) => {
    server.answer = error(status, code);
    expect(await send(message)).toEqual({ status: 'failed', code: String(code), reason });
  },
);

test('A message that Twilio refuses without a code has failed too', async () => {
  server.answer = (_, response) => response.writeHead(400).end('<html>Bad request</html>');
  expect(await send(message)).toEqual({
    status: 'failed',
    code: '400',
    reason: 'The provider refused the message (code 400).',
  });
});

const unavailable = {
  name: 'Failure',
  code: 'UNAVAILABLE',
  message: 'The SMS provider is not accepting messages at the moment. Try again shortly.',
  retryAfter: 5,
};
const because = (cause: string | RegExp) => ({
  ...unavailable,
  cause: expect.objectContaining({ message: expect.stringMatching(cause) }),
});

test.each([
  [429, 20429],
  [429, 21611],
  [408, 0],
  [500, 20500],
  [503, 20503],
])('A message can be sent again later when Twilio returns %i with code %i', async (status, code) => {
  server.answer = error(status, code);
  await expect(send(message)).rejects.toMatchObject(
    because(`^Twilio responded ${status} with code ${code}$`),
  );
  expect(forgotten).toBe(0);
});

test.each([401, 403])(
  'A message can be sent again later when Twilio returns %i: the credentials are read again for it, and the log has no more than the code',
  async (status) => {
    server.answer = error(status, 20003);
    await expect(send(message)).rejects.toMatchObject(
      because(`^Twilio responded ${status} with code 20003$`),
    );
    expect(forgotten).toBe(1);
  },
);

test.each<[string, RequestListener, RegExp]>([
  [
    'sends its client elsewhere',
    (_, to) => to.writeHead(302, { location: '/' }).end(),
    /^Twilio responded 302$/,
  ],
  [
    'confirms what is not a message',
    (_, to) => to.writeHead(201).end('{"sid": 7}'),
    /^Twilio responded 201$/,
  ],
  ['takes the request and says nothing', () => undefined, /aborted/],
  ['stops in the middle of its response', (_, to) => to.writeHead(201).write('{"sid":'), /abort/],
])('A message can be sent again later when Twilio %s', async (_, answer, cause) => {
  server.answer = answer;
  await expect(send(message, account, server.url, { response: 1_000 })).rejects.toMatchObject(because(cause));
  expect(server.received).toHaveLength(1);
});

test('A message can be sent again later when the connection is reset', async () => {
  server.answer = ({ socket }) => socket.resetAndDestroy();
  await expect(send(message)).rejects.toMatchObject({ ...unavailable, cause: { code: 'ECONNRESET' } });
});

test('A message can be sent again later when nobody listens', async () => {
  const { port, stop } = await silentServer();
  await stop();
  const sending = send(message, account, `http://127.0.0.1:${port}`);
  await expect(sending).rejects.toMatchObject({ ...unavailable, cause: { code: 'ECONNREFUSED' } });
});

test('A message can be sent again later when no secure connection comes about', async () => {
  const { port, stop } = await silentServer();
  const sending = send(message, account, `https://127.0.0.1:${port}`, { connection: 200 });
  await expect(sending).rejects.toMatchObject(because(/^No connection within 200 ms$/));
  await stop();
});

/** A server that takes connections and says nothing. */
async function silentServer(): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets: Socket[] = [];
  const silent: Server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  return {
    port: (silent.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        silent.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}
