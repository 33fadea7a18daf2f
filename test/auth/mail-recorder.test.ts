import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { provideMail, provideMailSender } from '../../shared/ports/mail.ts';

const mail = { to: 'grace@example.com', subject: 'Grüße', text: 'One\n\n"Two" 👋' };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-mail-'));
  file = join(folder, 'sent-mail.ndjson');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const environment = () => ({
  MAIL_PROVIDER: 'recorder',
  MAIL_RECORD_FILE: file,
  API_URL: 'http://127.0.0.1:3000',
});
const send = (changes: Partial<typeof mail> = {}) =>
  provideMail(environment())().send({ ...mail, ...changes });

/** The lines of the file. */
async function recorded(): Promise<(typeof mail)[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line));
}

test('On the machine of a developer, an email is a line in a file with its recipient, subject and text, and nothing else', async () => {
  expect(provideMailSender(environment())()).toEqual({ isConfigured: true });
  expect(await send()).toEqual({ status: 'sent' });
  expect(await recorded()).toEqual([mail]);
});

test('On the machine of a developer, nobody else may read the file of emails: its links are secret', async () => {
  await send();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('On the machine of a developer, many emails at once are a line each', async () => {
  const addresses = Array.from({ length: 50 }, (_, index) => `grace${index}@example.com`);
  await Promise.all(addresses.map((to) => send({ to, text: 'x'.repeat(5_000) })));
  expect((await recorded()).map(({ to }) => to).sort()).toEqual(addresses.sort());
});
