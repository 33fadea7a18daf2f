// `npm run race`: compares Switchboard with Fastify over PostgreSQL, with the same contacts on this machine.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../../infra/project.ts';
import { wholeNumberFrom } from '../options.ts';
import { withSection } from '../section.ts';
import { figure } from '../table.ts';
import { machineDescription } from './machine.ts';
import { findPostgres } from './postgres.ts';
import { race } from './race.ts';
import { markdownTables, plainTables } from './report.ts';
import { workloadNames } from './workloads.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...workloadNames] },
    contacts: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16,1' },
    'synchronous-commit': { type: 'string', default: 'on' },
    write: { type: 'boolean', default: false },
  },
});
const only = values.only.flatMap((text) => text.split(','));
const unknown = only.find((name) => !workloadNames.includes(name));
if (unknown !== undefined) {
  throw new Error(`--only takes ${workloadNames.join(', ')}; it was "${unknown}".`);
}
const contacts = wholeNumberFrom(200, '--contacts', values.contacts);
const seconds = wholeNumberFrom(1, '--seconds', values.seconds);
const connections = values.connections.split(',').map((text) => wholeNumberFrom(1, '--connections', text));
const synchronousCommit = values['synchronous-commit'];

const postgres = await findPostgres();
if (postgres === undefined) {
  console.log('There is no PostgreSQL on this machine, so Switchboard runs alone.\n');
}
const machine = await machineDescription(postgres?.version);
console.log(`${machine}\n`);
try {
  const measured = await race({
    ...{ contacts, seconds, connections, postgres },
    workloads: new Set(only),
    settings: { synchronous_commit: synchronousCommit },
    log: console.log,
  });
  console.log(`\n${plainTables(measured)}\n\n${durability(synchronousCommit)}`);
  for (const { contestant, work, firstProblem } of measured) {
    if (firstProblem !== undefined) {
      console.log(`${contestant}, ${work.title}: ${firstProblem}`);
    }
  }
  if (values.write) {
    const file = join(projectRoot, 'test/bench/README.md');
    const about = `${figure(contacts)} contacts, ${seconds} s for each row. ${machine}.`;
    const section = [about, durability(synchronousCommit), markdownTables(measured)].join('\n\n');
    await writeFile(file, withSection('race', await readFile(file, 'utf8'), section));
  }
} catch (error) {
  console.error(error instanceof Error && error.name === 'Error' ? error.message : error);
  process.exitCode = 1;
}

function durability(commit: string): string {
  const embedded = 'The embedded database of Switchboard waits for the disk at every commit.';
  if (postgres === undefined) {
    return embedded;
  }
  return commit === 'on'
    ? `${embedded} So does PostgreSQL.`
    : `${embedded} PostgreSQL runs with synchronous_commit=${commit}.`;
}
