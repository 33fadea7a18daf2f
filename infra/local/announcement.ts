import { relative } from 'node:path';
import { type Seeded, usualPassword } from '../seed/seed.ts';
import type { Host } from './host.ts';

/** The lines that say how to use a host that is ready. */
export function announcement(
  { url, socketUrl }: Host,
  dataDir: string,
  seeded: Seeded | undefined,
): string[] {
  const fromHere = relative(process.cwd(), dataDir);
  const directory = fromHere.startsWith('..') ? dataDir : fromHere || '.';
  const rows = {
    API: `${url}/api`,
    Documentation: `${url}/api/docs`,
    'Live events': `${socketUrl}?token=<socketToken>`,
    'Webhook inbox': `${url}/_webhook-inbox shows what webhook endpoints with this address get`,
    'Log in as': people(seeded),
    Data: `${directory}/; sent texts go to ${directory}/sent-messages.ndjson, mail to ${directory}/sent-mail.ndjson`,
    Stop: 'Ctrl-C; `npm run dev:fresh` starts over with empty data',
  };
  const width = Math.max(...Object.keys(rows).map((name) => name.length));
  return Object.entries(rows).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}

function people(seeded: Seeded | undefined): string {
  if (seeded === undefined) {
    return 'a user in the existing data';
  }
  const { demo, hasUsualPassword } = seeded;
  const who = demo ? 'admin@, head@, rep@ or superadmin@example.com' : 'superadmin@example.com';
  return `${who}, with the password ${hasUsualPassword ? usualPassword : 'that SEED_PASSWORD had when the data was created'}`;
}
