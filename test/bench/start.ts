// Whether the local host keeps its budgets of time, on an otherwise idle machine. Tests check everything else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../infra/project.ts';
import { openSocket } from '../live/socket-client.ts';
import { call, loggedIn } from './api.ts';
import { budgets, conclude, type Verdict } from './budgets.ts';
import { copiedProject, editTimes } from './edits.ts';
import { median, timed } from './figures.ts';
import { startHost } from './local-host.ts';
import { wholeNumberFrom } from './options.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = wholeNumberFrom(1, '--runs', values.runs);

const times = {
  node: [] as number[],
  synth: [] as number[],
  first: [] as number[],
  later: [] as number[],
  fresh: [] as number[],
  event: [] as number[],
  end: [] as number[],
  rule: [] as number[],
  shared: [] as number[],
};

const copy = await copiedProject();
try {
  const host = await startHost(join(copy.folder, 'data'), {
    folder: copy.folder,
    environment: { BUILD_DIR: join(copy.folder, 'build') },
  });
  try {
    for (let run = 0; run < runs; run += 1) {
      const { rule, shared } = await editTimes(copy.folder, host.url);
      times.rule.push(rule);
      times.shared.push(shared);
    }
  } finally {
    await host.stop();
  }
} finally {
  await copy.remove();
}

for (let run = 0; run < runs; run += 1) {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  try {
    times.node.push((await timed(() => program(['-e', '0']))).ms);
    const environment = { BUILD_DIR: join(folder, 'build') };
    const synthesis = { ...environment, CDK_OUTDIR: join(folder, 'assembly') };
    times.synth.push((await timed(() => program(['infra/launch.mjs', 'infra/app.ts'], synthesis))).ms);
    const starts = { first: 'data', later: 'data', fresh: 'other-data' };
    for (const start of ['first', 'later', 'fresh'] as const) {
      const { ms, result } = await timed(() => startHost(join(folder, starts[start]), { environment }));
      times[start].push(ms);
      times.event.push(...(await eventTimes(result.url)));
      times.end.push((await timed(() => result.stop())).ms);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

console.log(`The local host with its demo data, medians of ${runs} runs in ms. Event: from the
answer to a change until an open socket has it.\n`);
const rows: [what: string, samples: readonly number[]][] = [
  ['node -e 0', times.node],
  ['synthesis alone', times.synth],
  ['first start until ready', times.first],
  ['later start until ready', times.later],
  ['start with empty data until ready', times.fresh],
  ['event', times.event],
  ['end', times.end],
  ['edit of a rule until the first new response', times.rule],
  ['edit of a shared file', times.shared],
];
console.log(
  textTable(
    ['', 'median', 'slowest'],
    rows.map(([what, samples]) => [what, figure(median(samples)), figure(Math.max(...samples))]),
  ),
);
conclude([
  verdict('ready the first time', times.first, budgets.host.firstStart),
  verdict('ready again', times.later, budgets.host.laterStart),
  verdict('ready with empty data', times.fresh, budgets.host.freshStart),
  verdict('a change reaches an open socket', times.event, budgets.host.event),
  verdict('ends when it is told to', times.end, budgets.host.end),
  verdict('an edit of a rule takes effect', times.rule, budgets.host.edit),
]);

function verdict(promise: string, samples: readonly number[], most: number): Verdict {
  const measured = median(samples);
  return {
    promise: `${promise} within ${figure(most / 1_000, 1)} s`,
    measured: `${figure(measured / 1_000, 2)} s`,
    kept: measured <= most,
  };
}

async function program(args: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  const started = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, CDK_VALIDATION: 'false', ...environment }, // As the local host synthesizes.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(started, 'exit');
  if (code !== 0) {
    throw new Error(`node ${args.join(' ')} ended with ${code}`);
  }
}

/** How long each of ten changes takes to reach an open socket. An earlier one, which starts the functions, is left out. */
async function eventTimes(url: string): Promise<number[]> {
  const { token, socketToken } = await loggedIn(url);
  const socket = await openSocket(`${url.replace('http:', 'ws:')}/socket`, socketToken);
  const samples: number[] = [];
  for (let change = 0; change <= 10; change += 1) {
    const request = { method: 'POST', path: '/api/contacts/create', body: { firstName: 'Ada' } };
    const { data } = await call<{ data: { _id: string } }>(url, request, token);
    const { ms } = await timed(() => socket.frame((frame) => frame.data.contactId === data._id));
    samples.push(ms);
  }
  await socket.close();
  return samples.slice(1);
}
