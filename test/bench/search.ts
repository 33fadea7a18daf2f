import { isDeepStrictEqual } from 'node:util';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { budgets, type Verdict } from './budgets.ts';
import type { Dataset } from './dataset.ts';
import { timed } from './figures.ts';
import { eventOf, type Handler } from './kernel.ts';
import { type SearchCase, searchCases } from './search-cases.ts';
import { figure, textTable } from './table.ts';

export interface MeasuredSearch {
  readonly searched: SearchCase;
  readonly consumed: Consumption;
  readonly seconds: number;
  readonly found: number;
  /** Names of the columns that are not what they must be. */
  readonly wrong: readonly string[];
}

const size = 20;

type Columns = Record<string, { contacts: unknown[]; total: number }>;

/** Every case once, its answer compared to a model in memory. `handle` must take `now` for the time. */
export async function measureSearches(
  handle: Handler,
  dataset: Dataset,
  now: Date,
): Promise<MeasuredSearch[]> {
  const measured: MeasuredSearch[] = [];
  for (const searched of searchCases(dataset, now)) {
    const event = eventOf({ body: { size, ...searched.body } }, searched.person ?? dataset.admin);
    const { ms, result } = await timed(() => handle(event));
    if (result.status !== 200) {
      throw new Error(`${searched.name}: answered ${result.status}: ${result.body.slice(0, 300)}`);
    }
    const { data } = JSON.parse(result.body) as { data: Columns };
    measured.push({
      searched,
      consumed: result.consumed,
      seconds: ms / 1_000,
      found: Object.values(data).reduce((sum, { total }) => sum + total, 0),
      wrong: differences(data, expectedColumns(dataset, searched)),
    });
  }
  return measured;
}

/** By a plain filter over everything, in the order of the answer. */
function expectedColumns(
  { pipeline, contacts }: Dataset,
  { matches, stages, page = 1 }: SearchCase,
): Columns {
  const wanted = stages ?? pipeline.stages.map(({ _id }) => _id);
  return Object.fromEntries(
    wanted.map((stageId) => {
      const stage = pipeline.stages.find(({ _id }) => _id === stageId)?.name ?? '';
      const found = contacts.filter((contact) => contact.stageId === stageId && matches(contact));
      const shown = found.slice((page - 1) * size, page * size).map((contact) => answered(contact, stage));
      return [stage, { contacts: shown, total: found.length }];
    }),
  );
}

function answered({ conversationAssignees: _, ...contact }: StoredContact, stage: string): unknown {
  return { ...contact, fullName: `${contact.firstName} ${contact.lastName}`.trim(), stage };
}

function differences(actual: Columns, expected: Columns): string[] {
  if (!isDeepStrictEqual(Object.keys(actual), Object.keys(expected))) {
    return ['the columns themselves'];
  }
  return Object.keys(expected).filter((stage) => !isDeepStrictEqual(actual[stage], expected[stage]));
}

export function searchTable(measured: readonly MeasuredSearch[]): string {
  return textTable(
    ['query', 'found', 'trips', 'requests', 'RU', 'seconds', 'exact'],
    measured.map(
      ({ searched: { name }, consumed: { roundTrips, requests, readUnits }, seconds, found, wrong }) => [
        name,
        figure(found),
        roundTrips,
        requests,
        figure(readUnits, 1),
        figure(seconds, 2),
        wrong.length === 0 ? 'yes' : 'NO',
      ],
    ),
  );
}

export function searchVerdicts(measured: readonly MeasuredSearch[]): Verdict[] {
  const slowest = measured
    .filter(({ searched }) => searched.isFullSearch)
    .reduce((most, { seconds }) => Math.max(most, seconds), 0);
  const wrong = measured.filter((one) => one.wrong.length > 0);
  return [
    {
      promise: `search of the whole organization: at most ${budgets.search.seconds} s`,
      measured: `${figure(slowest, 2)} s`,
      kept: slowest <= budgets.search.seconds,
    },
    {
      promise: 'search and filters: exact in contacts, order and total',
      measured:
        wrong.length === 0
          ? `${measured.length} of ${measured.length}`
          : wrong.map(({ searched, wrong }) => `${searched.name} is wrong in ${wrong.join(', ')}`).join('; '),
      kept: wrong.length === 0,
    },
  ];
}
