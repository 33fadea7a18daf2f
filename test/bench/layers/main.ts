// `npm run layers`: where the processor time of a request goes, in the functions and in the local host that runs them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumberFrom } from '../options.ts';
import { processorTimeOf } from '../processes.ts';
import { type Driver, startDriver } from '../race/driver.ts';
import { settled } from '../race/measure.ts';
import { contactsOf, subjectOf } from '../race/request-data.ts';
import { untilStopped } from '../race/stopping.ts';
import { type Switchboard, startSwitchboard } from '../race/switchboard.ts';
import { type Workload, workloads } from '../race/workloads.ts';
import { figure, textTable } from '../table.ts';
import { type Flame, flameOf, type Layer, layers } from './layers.ts';
import { profileDuring } from './profile.ts';
import { Sources } from './source-of.ts';

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: 'board' },
    seconds: { type: 'string', default: '10' },
    contacts: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '16' },
    /** How many functions to list. */
    top: { type: 'string', default: '0' },
  },
});
const chosen = values.work.split(',').flatMap((name) => {
  const named = workloads.filter((one) => one.name === name && one.cold === undefined);
  if (named.length === 0) {
    throw new Error(
      `--work takes names of workloads that need no preparation, like board, create or login; it was "${name}".`,
    );
  }
  return named;
});
const seconds = wholeNumberFrom(1, '--seconds', values.seconds);
const connections = wholeNumberFrom(1, '--connections', values.connections);
const contactCount = wholeNumberFrom(200, '--contacts', values.contacts);
const top = wholeNumberFrom(0, '--top', values.top);

await using ended = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'switchboard-layers-'));
ended.defer(() => rm(directory, { recursive: true, force: true }));
await untilStopped(run());

async function run(): Promise<void> {
  const switchboard = await startSwitchboard(join(directory, 'data'), true);
  ended.defer(() => switchboard.stop());
  const { organizations, name, tokens } = switchboard;
  const contacts = contactsOf(organizations, contactCount);
  const driver = startDriver({ [name]: { ...subjectOf(organizations, contacts), tokens: tokens.team } });
  ended.defer(() => driver.stop());
  await switchboard.load(contacts);
  await settled(switchboard);
  for (const work of chosen) {
    await show(work, driver, switchboard);
  }
}

async function show(
  { kind, title, beside }: Workload,
  driver: Driver,
  switchboard: Switchboard,
): Promise<void> {
  const wanted = { url: switchboard.url(), kind, connections, seconds, ...(beside && { beside }) };
  const drive = () => driver.drive(switchboard.name, wanted);
  await drive();
  const { server, database } = switchboard.processes();
  const before = [processorTimeOf(server), processorTimeOf(database)] as const;
  const { times, firstProblem } = await drive();
  const requests = times.length;
  const cpu = (processorTimeOf(server) - before[0]) / requests;
  const databaseCpu = (processorTimeOf(database) - before[1]) / requests;
  const threads = await profileDuring(switchboard.host().inspector ?? '', drive);
  const sources = new Sources();
  const flame = flameOf(threads, (frame) => sources.of(frame));
  console.log(`\n${title}: ${figure(requests / seconds, 1)} requests/s at ${connections} connections, CPU of the host \
${figure(cpu, 2)} ms a request and of the database ${figure(databaseCpu, 2)} ms, measured without the profiler\n`);
  if (firstProblem !== undefined) {
    console.log(`Not all responses were as expected: ${firstProblem}\n`);
  }
  console.log(layerTable(flame, cpu));
  const all = totalOf(flame);
  for (const [what, milliseconds] of flame.functions.slice(0, top)) {
    console.log(`${figure((milliseconds / all) * 100, 1).padStart(6)} %  ${what}`);
  }
}

/** A profile measures wall-clock time, which exceeds processor time on a busy machine: so only its shares are used. */
function layerTable(flame: Flame, cpu: number): string {
  const all = totalOf(flame);
  const names = Object.keys(layers) as Layer[];
  return textTable(
    ['layer', 'also paid on AWS', '% of CPU', 'CPU ms a request'],
    [
      ...names.map((layer) => {
        const share = (flame.byLayer.get(layer) ?? 0) / all;
        const { title, onAws } = layers[layer];
        return [title, onAws ? 'yes' : 'no', figure(share * 100, 1), figure(share * cpu, 2)];
      }),
      ['all', '', figure(100, 1), figure(cpu, 2)],
    ],
  );
}

function totalOf({ byLayer }: Flame): number {
  return [...byLayer.values()].reduce((sum, milliseconds) => sum + milliseconds, 0);
}
