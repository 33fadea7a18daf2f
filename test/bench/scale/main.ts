import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../../infra/project.ts';
import { operationsWithCases } from '../../access/operations.ts';
import { costs } from '../../costs/costs.ts';
import { measureOperations } from '../operations.ts';
import { withSection } from '../section.ts';
import { type Setup, startSetup } from '../setup.ts';
import { figure, markdownTable } from '../table.ts';
import { priceList, workflowMarkdown } from '../workflow-report.ts';
import { measureWorkflows } from '../workflows.ts';
import { costList, type Priced } from './cost-list.ts';
import { idleCost } from './idle.ts';
import { eventPrices, keyPrices } from './integration-prices.ts';
import { jobPrices, jobTable } from './job-prices.ts';
import { limitsSection } from './limits-section.ts';
import { liveScenarios } from './live-scenarios.ts';
import { priceOfPings } from './ping-price.ts';
import { priceOfMillion, untouched } from './price-of-million.ts';
import { recordUse } from './recorder.ts';
import { reminderScenarios } from './reminder-scenario.ts';
import { runScenarios } from './run-scenarios.ts';
import { httpScenarios } from './scenarios.ts';
import { functionMemory, type Template, templates } from './templates.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const figuresFile = join(import.meta.dirname, '../README.md');
/** The page for people who build graphs. */
const pageOfGraphs = join(projectRoot, 'functions/workflows/README.md');

const made = await templates();
const setup = await startSetup();
try {
  const scenarios = await scenarioTables(setup);
  const priced = await pricesOf(made, setup);
  const jobs = await jobPrices(setup.tenants);
  const report = [
    ...scenarios,
    '### A month in which nobody uses the product',
    idleTable(made),
    '### A million calls, in dollars',
    millionTable(priced),
    '### Jobs',
    jobTable(jobs),
  ].join('\n\n');
  const runs = await measureWorkflows(setup.tenants);
  const steps = workflowMarkdown(runs);
  console.log(`${report}\n\n### A million steps of workflows\n\n${steps}`);
  if (values.write) {
    await writeSections(figuresFile, { scale: report, workflows: steps });
    await writeSections(pageOfGraphs, { prices: priceList(runs) });
    await writeSections(join(projectRoot, 'README.md'), { costs: costList(priced, jobs, runs) });
  }
} finally {
  await setup.stop();
}

async function writeSections(file: string, sections: Readonly<Record<string, string>>): Promise<void> {
  const text = await readFile(file, 'utf8');
  const written = Object.entries(sections).reduce(
    (sum, [name, section]) => withSection(name, sum, section),
    text,
  );
  await writeFile(file, written);
}

async function scenarioTables({ tenants }: Setup): Promise<string[]> {
  const recorder = recordUse();
  try {
    const cases = new Map(
      (await operationsWithCases()).map((operationCase) => [operationCase.name, operationCase]),
    );
    const tables: string[] = [];
    for (const scenario of [...httpScenarios, ...liveScenarios, ...reminderScenarios, ...runScenarios]) {
      tables.push(limitsSection(scenario, await scenario.limits({ tenants, recorder, cases })));
    }
    return tables;
  } finally {
    recorder.restore();
  }
}

function idleTable(made: readonly Template[]): string {
  const positions = idleCost(made);
  const sum = positions.reduce((sum, { dollars }) => sum + dollars, 0);
  const rows = positions.map(({ what, count, dollars }) => [what, figure(count), figure(dollars, 2)]);
  return markdownTable(['What', 'how many', 'dollars'], [...rows, ['all', '', figure(sum, 2)]], 1);
}

/** Every operation, what events and API keys cost beside them, and the frame that clients send most. */
async function pricesOf(made: readonly Template[], setup: Setup): Promise<Priced[]> {
  const measured = await measureOperations(setup);
  const creation = measured.find(({ name }) => name === 'create-contact')?.cpu ?? Number.NaN;
  const { product } = setup.tenants;
  const others = { ...(await eventPrices(product)), ...(await keyPrices(product, creation)) };
  return [
    ...Object.entries(others).map(([name, price]) => ({ name, price })),
    ...measured.map(({ name, summary, cpu }) => ({
      name,
      price: priceOfMillion(costs[name] ?? untouched, cpu, functionMemory(made, summary)),
    })),
    { name: 'ping, with its reply', price: await priceOfPings(made, setup) },
  ];
}

function millionTable(priced: readonly Priced[]): string {
  const rows = priced
    .toSorted((one, other) => other.price.all - one.price.all)
    .map(({ name, price }) => [
      name,
      ...[price.table, price.function, price.gateway, price.logs, price.all].map((part) => figure(part, 2)),
    ]);
  return markdownTable(['Operation', 'table', 'function', 'gateway or queue', 'logs', 'all'], rows, 1);
}
