import { relative } from 'node:path';
import type { Host } from './host.ts';
import type { Options } from './options.ts';

/** What a person needs to know of a host that is ready, a line each. */
export function announcement({ url, socketUrl }: Host, { dataDir, demo, password }: Options): string[] {
  const fromHere = relative(process.cwd(), dataDir);
  const directory = fromHere.startsWith('..') ? dataDir : fromHere || '.';
  const people = demo ? 'admin@, head@, rep@ or superadmin@example.com' : 'superadmin@example.com';
  const rows = {
    API: `${url}/api`,
    Documentation: `${url}/api/docs`,
    'Live events': `${socketUrl}?token=<socketToken>`,
    'Sign in as': `${people}, password ${password}`,
    Data: `${directory}/, text messages that you send in ${directory}/sent-messages.ndjson`,
    Stop: 'Ctrl-C; `npm run dev:fresh` begins anew, with empty data',
  };
  const width = Math.max(...Object.keys(rows).map((name) => name.length));
  return Object.entries(rows).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}
