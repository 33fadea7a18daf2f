// `npm run race`: compares Switchboard with Fastify over PostgreSQL, with the same contacts on this machine.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumberFrom } from '../options.ts';
import { withSection } from '../section.ts';
import { figure } from '../table.ts';
import { findPostgres } from './postgres.ts';
import { race } from './race.ts';
import { markdownTables, plainTables } from './report.ts';
import { type Work, workNames } from './requests.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: workNames },
    contacts: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16,1' },
    'synchronous-commit': { type: 'string', default: 'on' },
    write: { type: 'boolean', default: false },
  },
});
const works = values.only.flatMap((text) => text.split(',')).map(workOf);
const contacts = wholeNumberFrom(200, '--contacts', values.contacts);
const seconds = wholeNumberFrom(1, '--seconds', values.seconds);
const connections = values.connections.split(',').map((text) => wholeNumberFrom(1, '--connections', text));
const commit = values['synchronous-commit'];

const postgres = await findPostgres();
if (postgres === undefined) {
  console.log('There is no PostgreSQL on this machine, so Switchboard runs alone.\n');
}
const measured = await race({
  ...{ contacts, seconds, connections, works, postgres },
  settings: { synchronous_commit: commit },
});
const about = `${figure(contacts)} contacts, ${seconds} s for each row. ${machine()}. The embedded database of Switchboard waits for the
disk at every commit; PostgreSQL runs with \`synchronous_commit=${commit}\`.`;
console.log(`\n${about}\n\n${plainTables(measured)}`);
for (const { contestant, work, firstProblem } of measured) {
  if (firstProblem !== undefined) {
    console.log(`${contestant}, ${work}: ${firstProblem}`);
  }
}
if (values.write) {
  const file = join(import.meta.dirname, '../README.md');
  const section = `${about}\n\n${markdownTables(measured)}`;
  await writeFile(file, withSection('race', await readFile(file, 'utf8'), section));
}

function machine(): string {
  const [first, ...others] = cpus();
  return [
    `${first?.model.trim() || 'An unnamed processor'}, ${others.length + 1} cores`,
    `${figure(totalmem() / 1_024 ** 3)} GB of memory`,
    `Node ${process.versions.node}`,
    postgres === undefined ? 'no PostgreSQL' : `PostgreSQL ${postgres.version}`,
  ].join(', ');
}

function workOf(text: string): Work {
  const work = workNames.find((name) => name === text);
  if (work === undefined) {
    throw new Error(`--only takes ${workNames.join(', ')}; it was "${text}".`);
  }
  return work;
}
