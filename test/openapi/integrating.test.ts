import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { buildClient } from '../../infra/client/build-client.ts';

const chapter = await readFile(new URL('../../infra/openapi/integrating.md', import.meta.url), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'switchboard-tests-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'client.js'), await buildClient([]));
await writeFile(join(folder, 'package.json'), '{"type":"module"}');

const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const id = '01JABCDEFGHJKMNPQRSTVWXYZ0';
const body = '{"event":"message_created","data":{"text":"Grüße 🎉"}}';

interface Delivery {
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** What a receiver gets while the secret is replaced, sent some seconds ago. */
function delivered(secondsAgo: number, text = body): Delivery {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  const signature = `v1,${Buffer.alloc(32).toString('base64')} ${new Webhook(secret).sign(id, at, body)}`;
  return { body: text, timestamp: String(Math.floor(at.getTime() / 1_000)), signature };
}

const sample = (language: string) =>
  new RegExp(`\\n\`\`\`${language}\\n(.*?)\\n\`\`\`\\n`, 's').exec(chapter)?.[1] ?? '';

/** Programs that answer with exit code 0 if the sample takes the delivery: file, command and source, given the sample. */
const programs = {
  js: {
    command: 'node',
    file: 'check.mjs',
    source: (code: string) => `${code}
import { readFileSync } from 'node:fs';
const [, , at, signature, secret] = process.argv;
const headers = { 'webhook-id': '${id}', 'webhook-timestamp': at, 'webhook-signature': signature };
const request = new Request('http://localhost', { method: 'POST', body: readFileSync('body'), headers });
await receive(request, secret);`,
  },
  python: {
    command: 'python3',
    file: 'check.py',
    source: (code: string) => `${code}
import sys
_, at, signature, secret = sys.argv
headers = {"webhook-id": "${id}", "webhook-timestamp": at, "webhook-signature": signature}
sys.exit(0 if verify(open("body", "rb").read(), headers, secret) else 1)`,
  },
  java: {
    command: 'java',
    file: 'Check.java',
    source: (code: string) =>
      code.replace(
        'class Verify {',
        `class Check {
  public static void main(String[] given) throws Exception {
    byte[] body = java.nio.file.Files.readAllBytes(java.nio.file.Path.of("body"));
    Map<String, String> headers = Map.of("webhook-id", "${id}", "webhook-timestamp", given[0], "webhook-signature", given[1]);
    System.exit(Verify.verify(body, headers, given[2]) ? 0 : 1);
  }
}
class Verify {`,
      ),
  },
  php: {
    command: 'php',
    file: 'check.php',
    source: (code: string) => `${code}
[, $at, $signature, $secret] = $argv;
$headers = ['webhook-id' => '${id}', 'webhook-timestamp' => $at, 'webhook-signature' => $signature];
exit(verify(file_get_contents('body'), $headers, $secret) ? 0 : 1);`,
  },
  sh: {
    command: 'sh',
    file: 'check.sh',
    source: (code: string) => `${code}
verify body ${id} "$1" "$2" "$3"`,
  },
} as const;

const isInstalled = (command: string) => spawnSync('which', [command]).status === 0;

for (const [language, { command, file, source }] of Object.entries(programs)) {
  test.skipIf(!isInstalled(command))(
    `The check of a webhook in ${language} that the documentation prints takes what was signed, and nothing else`,
    async () => {
      await writeFile(join(folder, file), source(sample(language)));
      const takes = async ({ body, timestamp, signature }: Delivery, key = secret) => {
        await writeFile(join(folder, 'body'), body);
        const given = [file, timestamp, signature, key];
        return spawnSync(command, given, { cwd: folder }).status === 0;
      };
      expect(await takes(delivered(20))).toBe(true);
      expect(await takes(delivered(20, `${body} `))).toBe(false);
      expect(await takes({ ...delivered(20), timestamp: '1772618400' })).toBe(false);
      expect(await takes(delivered(400))).toBe(false);
      const other = `whsec_${Buffer.from('another secret of 32 characters.').toString('base64')}`;
      expect(await takes(delivered(20), other)).toBe(false);
    },
    120_000,
  );
}
