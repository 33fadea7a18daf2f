import { parseArgs } from 'node:util';
import listContactsByStage from '../../functions/contacts/list-contacts-by-stage.ts';
import { fewestStored } from '../../shared/column-index/stored-index.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { conclude, type Verdict } from './budgets.ts';
import { newDataset } from './dataset.ts';
import { timed } from './figures.ts';
import { makeHandler } from './kernel.ts';
import { measureOperations, operationsTable, operationVerdicts } from './operations.ts';
import { wholeNumberFrom } from './options.ts';
import { tableAnswer } from './scale/prices.ts';
import { measureSearches, searchTable, searchVerdicts, writeIndex } from './search.ts';
import { type Setup, startSetup } from './setup.ts';
import { figure } from './table.ts';
import { workflowTables, workflowVerdicts } from './workflow-report.ts';
import { measureWorkflows } from './workflows.ts';

const parts = ['operations', 'workflows', 'search'] as const;
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
    ...(wanted.has('search') ? await searches(setup) : []),
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

async function searches(setup: Setup): Promise<Verdict[]> {
  const { product } = setup.tenants;
  const now = new Date();
  const { ms, result: dataset } = await timed(() => newDataset(product, contacts, now));
  console.log(`${figure(contacts)} contacts written in ${figure(ms / 1_000, 1)} s\n`);
  // Only now, after the minutes of writing: to an earlier clock, what other processes spend now would lie in the future.
  const asked = new Date();
  const board = { name: 'list-contacts-by-stage', operation: listContactsByStage as Operation };
  const handle = await makeHandler(product, board, () => asked);
  if (contacts >= fewestStored) {
    const { ms } = await timed(() => writeIndex(setup, dataset, now));
    console.log(`Their stored index was written in ${figure(ms / 1_000, 1)} s\n`);
  }
  const measured = await measureSearches(handle, dataset, asked);
  console.log(
    `Search and filters over ${figure(contacts)} contacts, compared to a model in memory. cold: with nothing cached; warm: with\nthe index; again: the same search once more. ms and CPU (of this process, without the database): medians\n`,
  );
  console.log(searchTable(measured));
  return searchVerdicts(measured, contacts);
}

function partOf(text: string): Part {
  const part = parts.find((name) => name === text);
  if (part === undefined) {
    throw new Error(`--only must be one of ${parts.join(', ')}; it was "${text}".`);
  }
  return part;
}
