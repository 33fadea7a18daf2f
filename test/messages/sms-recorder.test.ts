import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OutgoingSms } from '../../shared/kernel/providers/sms-provider.ts';
import { provideSms } from '../../shared/ports/sms.ts';

const now = new Date('2026-11-20T12:00:00Z');
const message: OutgoingSms = {
  id: 'message-1',
  from: '+15550123',
  to: '+15550100',
  content: 'Grüße\n"👋"',
  mediaUrls: ['https://example.com/a.png'],
  statusPath: '/api/webhook/twilio/status?message=1',
};

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-sms-'));
  file = join(folder, 'sent-messages.ndjson');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function send(changes: Partial<OutgoingSms> = {}) {
  const sms = provideSms({
    SMS_PROVIDER: 'recorder',
    SMS_RECORD_FILE: file,
    API_URL: 'https://api.example.com',
  })({ now });
  return sms.send({ ...message, ...changes });
}

/** The lines of the file. */
async function recorded(): Promise<unknown[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line));
}

test('On the machine of a developer, a message is a line in a file, with what became of it', async () => {
  const outcome = await send();
  expect(outcome).toEqual({ status: 'sent', providerMessageId: expect.stringMatching(/^SM[0-9a-f]{32}$/) });
  const { statusPath, ...said } = message;
  expect(await recorded()).toEqual([
    {
      at: '2026-11-20T12:00:00.000Z',
      ...said,
      statusCallback: `https://api.example.com${statusPath}`,
      ...outcome,
    },
  ]);
});

test('On the machine of a developer, a message that is sent again is recorded again, with the same id at the provider', async () => {
  const [first, again, other] = [await send(), await send(), await send({ id: 'message-2' })];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(await recorded()).toHaveLength(3);
});

test('On the machine of a developer, many messages at once are a line each', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `message-${index}`);
  await Promise.all(ids.map((id) => send({ id, content: 'x'.repeat(1_600) })));
  expect((await recorded()).map((line) => (line as OutgoingSms).id).sort()).toEqual(ids.sort());
});

test.each([
  ['to', '+15005550001', '21211', 'The number is not a valid phone number.'],
  ['to', '+15005550002', '21612', 'The number cannot be reached.'],
  ['to', '+15005550003', '21408', 'Sending to the region of this number is not enabled.'],
  ['to', '+15005550004', '21610', 'The recipient has opted out of messages from this sender.'],
  ['to', '+15005550009', '21614', 'The number cannot receive text messages. It may be a landline.'],
  ['from', '+15005550001', '21212', 'The number of the sender cannot send text messages.'],
  ['from', '+15005550007', '21606', 'The number of the sender cannot send text messages.'],
])(
  'On the machine of a developer, a message %s the test number %s is refused, as Twilio refuses it',
  async (side, number, code, reason) => {
    expect(await send({ [side]: number })).toEqual({ status: 'failed', code, reason });
    expect(await recorded()).toMatchObject([{ [side]: number, status: 'failed', code, reason }]);
  },
);

test.each(['to', 'from'])(
  'On the machine of a developer, a message %s the test number +15005550008 can be sent again later',
  async (side) => {
    await expect(send({ [side]: '+15005550008' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The SMS provider is not accepting messages at the moment. Try again shortly.',
    });
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  },
);

test('On the machine of a developer, a message from the test number +15005550006, or from nobody in particular, is sent', async () => {
  expect(await send({ from: '+15005550006' })).toMatchObject({ status: 'sent' });
  expect(await send({ from: undefined })).toMatchObject({ status: 'sent' });
  expect(await recorded()).toMatchObject([{ from: '+15005550006' }, { from: null }]);
});

test.each([
  [{}, 'SMS_PROVIDER must be "twilio" or "recorder"'],
  [{ SMS_PROVIDER: 'pigeon' }, 'SMS_PROVIDER must be "twilio" or "recorder"'],
  [{ SMS_PROVIDER: 'recorder' }, 'SMS_RECORD_FILE is not set'],
  [{ SMS_PROVIDER: 'twilio' }, 'SMS_SECRET_ARN is not set'],
])('A function with the environment %j does not start', (environment, problem) => {
  expect(() => provideSms({ API_URL: 'https://api.example.com', ...environment })).toThrow(problem);
});
