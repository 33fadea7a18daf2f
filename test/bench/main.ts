import { parseArgs } from 'node:util';
import { fewestStored } from '../../shared/column-index/stored-index.ts';
import { boardHandler, boardTable, boardVerdicts, measureBoards } from './board.ts';
import { conclude, type Verdict } from './budgets.ts';
import { newDataset, readNewest } from './dataset.ts';
import { timed } from './figures.ts';
import { measureOperations, operationsTable, operationVerdicts } from './operations.ts';
import { wholeNumberFrom } from './options.ts';
import { tableAnswer } from './scale/prices.ts';
import { measureSearches, searchTable, searchVerdicts, writeIndex } from './search.ts';
import { type Setup, startSetup } from './setup.ts';
import { figure } from './table.ts';
import { workflowTables, workflowVerdicts } from './workflow-report.ts';
import { measureWorkflows } from './workflows.ts';

const parts = ['operations', 'workflows', 'board', 'search'] as const;
type Part = (typeof parts)[number];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...parts] },
    contacts: { type: 'string', default: '100000' },
  },
});
const wanted = new Set(values.only.map(partOf));
const contacts = wholeNumberFrom(1_000, '--contacts', values.contacts);

const setup = await startSetup();
try {
  conclude([
    ...(wanted.has('operations') ? await operations(setup) : []),
    ...(wanted.has('workflows') ? await workflows(setup) : []),
    ...(await atSize(setup)),
  ]);
} finally {
  await setup.stop();
}

async function operations(setup: Setup): Promise<Verdict[]> {
  const measured = await measureOperations(setup);
  console.log(`Operations, in this process over the embedded database. trips, RU, WU: requests to the table that wait for each
other, read units and write units, by the table of costs.\n`);
  console.log(`${operationsTable(measured)}\n`);
  return operationVerdicts(measured);
}

async function workflows({ tenants }: Setup): Promise<Verdict[]> {
  const measured = await measureWorkflows(tenants);
  console.log(`Steps of workflows, each in the middle of a run, in this process over the embedded database: with what decides on them. of
the effect: write units of its operation by itself, of the time of a wait, of what it waits for, of whose turn is next, and of the texts to a number. $: dollars for a million, of the table and of the function, which
waits ${tableAnswer} ms for each trip.\n`);
  console.log(`${workflowTables(measured)}\n`);
  return workflowVerdicts(measured);
}

async function atSize(setup: Setup): Promise<Verdict[]> {
  if (!wanted.has('board') && !wanted.has('search')) {
    return [];
  }
  const { product } = setup.tenants;
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
    const few = await readNewest(product, many, 1_000);
    const measured = await measureBoards(handle, [few, many], 100);
    console.log(
      'The first page of a board of 8 stages x 20, in a process that has read it before, 100 times in turns\n',
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
  const part = parts.find((name) => name === text);
  if (part === undefined) {
    throw new Error(`--only must be one of ${parts.join(', ')}; it was "${text}".`);
  }
  return part;
}
