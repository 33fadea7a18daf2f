import { parseArgs } from 'node:util';
import { fewestStored } from '../../functions/contacts/model/search/stored-index.ts';
import { boardHandler, boardTable, boardVerdicts, measureBoards } from './board.ts';
import { conclude, type Verdict } from './budgets.ts';
import { newDataset, newestOf } from './dataset.ts';
import { documentationTable, documentationVerdicts, measureDocumentation } from './documentation.ts';
import { timed } from './figures.ts';
import { manyRunsTable, measureEnds, measureWaits } from './many-runs.ts';
import { measureKnownNumbers, measureOperations, operationsTable, operationVerdicts } from './operations.ts';
import { wholeNumberFrom } from './options.ts';
import { hashTable, measureHashes } from './password-hash.ts';
import { tableAnswer } from './scale/prices.ts';
import { measureSearches, searchTable, searchVerdicts, writeIndex } from './search.ts';
import { type Setup, startSetup } from './setup.ts';
import { figure } from './table.ts';
import { enumerationTable, enumerationVerdicts, measureEnumeration } from './user-enumeration.ts';
import { workflowTables, workflowVerdicts } from './workflow-report.ts';
import { measureWorkflows } from './workflows.ts';

const parts = [
  'passwords',
  'operations',
  'workflows',
  'board',
  'search',
  'documentation',
  'enumeration',
] as const;
/** Parts that take minutes: measured only if named. */
const named = ['waits', 'ends'] as const;
/** Parts that need no table. */
const alone: readonly Part[] = ['passwords', 'documentation', 'enumeration'];
type Part = (typeof parts)[number] | (typeof named)[number];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...parts] },
    contacts: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '10000' },
  },
});
const wanted = new Set(values.only.map(partOf));
const contacts = wholeNumberFrom(1_000, '--contacts', values.contacts);
const runs = wholeNumberFrom(1, '--runs', values.runs);

const verdicts = wanted.has('documentation') ? await documentation() : [];
if (wanted.has('enumeration')) {
  const measured = await measureEnumeration();
  console.log(
    'Requests about addresses with and without an account, over the gateway of the local host, in turns\n',
  );
  console.log(`${enumerationTable(measured)}\n`);
  verdicts.push(...enumerationVerdicts(measured));
}
if (wanted.has('passwords')) {
  console.log('Verifying a password with the parameters of the product, in turns\n');
  console.log(`${hashTable(await measureHashes())}\n`);
}
if ([...wanted].some((part) => !alone.includes(part))) {
  const setup = await startSetup();
  try {
    verdicts.push(
      ...(wanted.has('operations') ? await operations(setup) : []),
      ...(wanted.has('workflows') ? await workflows(setup) : []),
      ...(wanted.has('waits') ? await manyRuns('Runs that wait three weeks', setup, measureWaits) : []),
      ...(wanted.has('ends') ? await manyRuns('Runs that end with their workflow', setup, measureEnds) : []),
      ...(await atSize(setup)),
    );
  } finally {
    await setup.stop();
  }
}
conclude(verdicts);

async function documentation(): Promise<Verdict[]> {
  const measured = await measureDocumentation();
  if (typeof measured === 'string') {
    console.log(`${measured}\n`);
    return [];
  }
  console.log('The documentation on the local host, in a real browser on this machine\n');
  console.log(`${documentationTable(measured)}\n`);
  return documentationVerdicts(measured);
}

async function operations(setup: Setup): Promise<Verdict[]> {
  const measured = [...(await measureOperations(setup)), ...(await measureKnownNumbers(setup))];
  console.log(`Operations, in this process over the embedded database. trips: requests to the table that wait for each
other. RU, WU: read and write units. ratio: p50 to that of a floor measured between the calls: one bare GetItem
(read), or one bare transaction of seven items (write). first call: of a new process, where it costs more.\n`);
  console.log(`${operationsTable(measured)}\n`);
  return operationVerdicts(measured);
}

async function workflows({ world }: Setup): Promise<Verdict[]> {
  const measured = await measureWorkflows(world);
  console.log(`Steps of workflows, each in the middle of a run, in this process over the embedded database: with what decides on them. of
the effect: write units of its operation by itself, of the time of a wait, of what it waits for, of whose turn is next, and of the texts to a number. $: dollars for a million, of the table and of the function, which
waits ${tableAnswer} ms for each trip.\n`);
  console.log(`${workflowTables(measured)}\n`);
  return workflowVerdicts(measured);
}

async function manyRuns(
  title: string,
  { world }: Setup,
  measure: typeof measureWaits,
): Promise<readonly Verdict[]> {
  const measured = await measure(world, runs);
  console.log(`${title}, in this process over the embedded database\n`);
  console.log(`${manyRunsTable(measured)}\n`);
  return measured.verdicts;
}

async function atSize(setup: Setup): Promise<Verdict[]> {
  if (!wanted.has('board') && !wanted.has('search')) {
    return [];
  }
  const { product } = setup.world;
  const now = new Date();
  const { ms, result: many } = await timed(() => newDataset(product, contacts, now));
  console.log(`${figure(contacts)} contacts written in ${figure(ms / 1_000, 1)} s\n`);
  // Only now, after the minutes of writing: to an earlier clock, what other processes spend now would lie in the future.
  const asked = new Date();
  const handle = await boardHandler(setup, () => asked);
  const verdicts: Verdict[] = [];
  if (contacts >= fewestStored) {
    const { ms } = await timed(() => writeIndex(setup, many, now));
    console.log(`Their stored index was written in ${figure(ms / 1_000, 1)} s\n`);
  }

  if (wanted.has('board')) {
    const few = await newestOf(product, many, 1_000);
    const measured = await measureBoards(setup, handle, [few, many], 100);
    console.log(
      'The first page of a board of 8 stages x 20: the first call of a process, then warm, 100 times in turns\n',
    );
    console.log(`${boardTable(measured)}\n`);
    verdicts.push(...boardVerdicts(measured));
  }
  if (wanted.has('search')) {
    const measured = await measureSearches(handle, many, asked);
    console.log(
      `Search and filters over ${figure(contacts)} contacts, compared to a model in memory. cold: with nothing cached; warm: with\nthe index; again: the same search once more. ms and CPU (of this process, without the database): medians\n`,
    );
    console.log(searchTable(measured));
    verdicts.push(...searchVerdicts(measured, contacts));
  }
  return verdicts;
}

function partOf(text: string): Part {
  const all = [...parts, ...named];
  const part = all.find((name) => name === text);
  if (part === undefined) {
    throw new Error(`--only must be one of ${all.join(', ')}; it was "${text}".`);
  }
  return part;
}
