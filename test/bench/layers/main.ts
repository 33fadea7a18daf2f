// `npm run layers`: where the processor time of a request goes, of the functions and the local host that runs them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDriver } from '../race/driver.ts';
import { settled } from '../race/measure.ts';
import { loadOf } from '../race/processes.ts';
import { contactsOf, subjectOf } from '../race/subjects.ts';
import { startSwitchboard } from '../race/switchboard.ts';
import { works } from '../race/works.ts';
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
const chosen = values.work.split(',').map((name) => {
  const work = works.find((one) => one.name === name && one.cold === undefined && one.beside === undefined);
  if (work === undefined) {
    throw new Error(
      `--work takes names of works that need no preparation, like board, create or login; it was "${name}".`,
    );
  }
  return work;
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

const directory = await mkdtemp(join(tmpdir(), 'switchboard-layers-'));
const switchboard = await startSwitchboard(join(directory, 'data'), true);
try {
  const { organizations, name } = switchboard;
  const contacts = contactsOf(organizations, Number(values.contacts));
  const subject = { ...subjectOf(organizations, contacts), token: switchboard.tokens.full };
  const driver = startDriver({ [name]: subject });
  try {
    await switchboard.load(contacts);
    await settled(switchboard);
    for (const { kind, title } of chosen) {
      const wanted = { url: switchboard.url(), kind, connections };
      await driver.drive(name, { ...wanted, seconds: Math.max(3, seconds / 2) });
      const { inspector = '' } = switchboard.host();
      const { server, database } = switchboard.processes();
      let requests = 0;
      let [serverCpu, databaseCpu] = [0, 0];
      const threads = await profileDuring(inspector, async () => {
        const before = [loadOf(server).cpu, loadOf(database).cpu] as const;
        requests = (await driver.drive(name, { ...wanted, seconds })).times.length;
        serverCpu = loadOf(server).cpu - before[0];
        databaseCpu = loadOf(database).cpu - before[1];
      });
      const sources = new Sources();
      const flame = flameOf(threads, (frame) => sources.of(frame));
      console.log(`\n${title}: ${figure(requests / seconds, 1)} requests/s at ${connections} connections under the profiler
CPU of the host ${figure(serverCpu / requests, 2)} ms a request, with the profiler and V8's own threads; of the database ${figure(databaseCpu / requests, 2)} ms\n`);
      console.log(layerTable(flame, requests));
      for (const [what, milliseconds] of flame.functions.slice(0, Number(values.top))) {
        console.log(`${figure(milliseconds / requests, 3).padStart(8)}  ${what}`);
      }
    }
  } finally {
    await driver.stop();
  }
} finally {
  await switchboard.stop();
  await rm(directory, { recursive: true, force: true });
}

function layerTable({ byLayer }: Flame, requests: number): string {
  const all = [...byLayer.values()].reduce((sum, milliseconds) => sum + milliseconds, 0);
  const names = Object.keys(layers) as Layer[];
  return textTable(
    ['layer', 'also paid on AWS', '% of CPU', 'ms a request'],
    [
      ...names.map((layer) => {
        const milliseconds = byLayer.get(layer) ?? 0;
        const { title, onAws } = layers[layer];
        const share = figure((milliseconds / all) * 100, 1);
        return [title, onAws ? 'yes' : 'no', share, figure(milliseconds / requests, 3)];
      }),
      ['all JavaScript threads', '', figure(100, 1), figure(all / requests, 3)],
    ],
  );
}
