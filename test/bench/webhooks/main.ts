// Whether webhooks keep their promises beside endpoints that behave badly, and while the host is killed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { conclude, type Verdict } from '../budgets.ts';
import { numberFrom, wholeNumberFrom } from '../options.ts';
import { measureEvil } from './evil.ts';
import { measureKills } from './kills.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: ['evil', 'kills'] },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    events: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
  },
});
const unknown = values.only.find((part) => !['evil', 'kills'].includes(part));
if (unknown !== undefined) {
  throw new Error(`--only takes evil or kills; it was "${unknown}".`);
}
const rate = numberFrom(1, '--rate', values.rate);
const seconds = numberFrom(1, '--seconds', values.seconds);
const events = wholeNumberFrom(3, '--events', values.events);
const kills = wholeNumberFrom(0, '--kills', values.kills);

const directory = await mkdtemp(join(tmpdir(), 'switchboard-webhooks-'));
try {
  const verdicts: Verdict[] = [];
  if (values.only.includes('evil')) {
    verdicts.push(...(await measureEvil(directory, rate, seconds)));
  }
  if (values.only.includes('kills')) {
    verdicts.push(...(await measureKills(directory, events, kills)));
  }
  conclude(verdicts);
} finally {
  await rm(directory, { recursive: true, force: true });
}
