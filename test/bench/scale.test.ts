import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { operationsWithCases } from '../access/operations.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { named } from './scale/cost-list.ts';
import { eventPrices } from './scale/integration-prices.ts';
import { limitsSection } from './scale/limits-section.ts';
import { liveScenarios } from './scale/live-scenarios.ts';
import { limitsAt } from './scale/load.ts';
import { recordUse } from './scale/recorder.ts';
import { httpScenarios } from './scale/scenarios.ts';
import { figure } from './table.ts';

const tenants = await setUpTenants();

test('What a request consumes is known for each of its items, and adds up to what the database says', async () => {
  const recorder = recordUse();
  try {
    const { token, organizationId } = tenants.rep;
    const body = { firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] };
    const created = await tenants.product.call('create-contact', { token, body });
    expect(created.status).toBe(201);
    const uses = recorder.take().filter(({ writeUnits }) => writeUnits > 0);
    expect(uses.reduce((sum, { writeUnits }) => sum + writeUnits, 0)).toBe(created.consumed?.writeUnits);
    const digest = toDigest(body.phoneNumbers[0]?.value ?? '');
    const lock = uses.find(({ partition }) => partition === `ORG#${organizationId}#PHONE#${digest}`);
    expect(lock).toMatchObject({ sort: 'PHONE', writeUnits: 2, isTransaction: true });
  } finally {
    recorder.restore();
  }
});

test('What all calls share is scarce, and its shards share alike; what each call has for itself is not, and an hour that ends meanwhile divides nothing', () => {
  const use = { readUnits: 0, writeUnits: 2, isTransaction: true };
  const uses = Array.from({ length: 100 }, (_, call) => [
    { ...use, partition: `ORG#1#EVENTS#2026-11-22T${call < 50 ? 16 : 17}`, sort: `EVENT#${ulid()}` },
    { ...use, partition: 'ORG#1#COUNTS#p', sort: `all#${call % 4}` },
    { ...use, partition: `ORG#1#WORKFLOW_STATISTICS#w#${call % 2}`, sort: `n1#${call % 5}` },
    { ...use, partition: `ORG#1#CONTACT#${ulid()}`, sort: 'CONTACT' },
  ]).flat();
  expect(limitsAt(100, { calls: 100, uses })).toEqual([
    { what: 'transactions on COUNTS#p / all#{shard}', needed: 25, limit: 20 },
    { what: 'transactions on WORKFLOW_STATISTICS#w#{shard} / n1#{shard}', needed: 10, limit: 20 },
    { what: 'write units of one partition key: EVENTS#{time}', needed: 200, limit: 1_000 },
    { what: 'write units of one partition key: COUNTS#p', needed: 200, limit: 1_000 },
    { what: 'write units of a table, at first', needed: 800, limit: 4_000 },
    {
      what: 'write units of one partition key: WORKFLOW_STATISTICS#w#{shard}',
      needed: 100,
      limit: 1_000,
    },
  ]);
});

const [leads] = httpScenarios;
const [eventsWithNobodyOnline] = liveScenarios;

test.each([leads, eventsWithNobodyOnline].flatMap((one) => one ?? []))(
  'The page of figures says what breaks first, and when: $title',
  async (scenario) => {
    const recorder = recordUse();
    try {
      const cases = new Map(
        (await operationsWithCases()).map((operationCase) => [operationCase.name, operationCase]),
      );
      const limits = await scenario.limits({ tenants, recorder, cases });
      const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
      expect(page).toContain(limitsSection(scenario, limits));
    } finally {
      recorder.restore();
    }
  },
);

test('The page of figures says what events cost of the table beside their causes', async () => {
  const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  for (const [name, { table }] of Object.entries(await eventPrices(tenants.product))) {
    expect(page).toContain(`| ${name} | ${figure(table, 2)} |`);
  }
});

test('The prices in README.md are those of the tables of figures', async () => {
  const figures = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const lastCells = (name: string) =>
    figures.split('\n').flatMap((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return cells[1] === name ? [cells.at(-2)] : [];
    });
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
  for (const [name, words] of Object.entries(named)) {
    expect(readme).toContain(`| ${words} | ${lastCells(name)} |`);
  }
  expect(readme).toContain(`| runs of workflows started by events | ${lastCells('start by an event')} |`);
});
