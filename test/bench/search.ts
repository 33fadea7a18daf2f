import { isDeepStrictEqual } from 'node:util';
import { indexCache, keyOfIndex } from '../../shared/column-index/cached-index.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { after, hour } from '../../shared/kernel/time.ts';
import { compactAll } from '../column-index/compact.ts';
import { budgets, type Verdict } from './budgets.ts';
import type { Dataset } from './dataset.ts';
import { median, timed } from './figures.ts';
import { type Handler, toHttpEvent } from './kernel.ts';
import { type SearchCase, searchCases } from './search-cases.ts';
import type { Setup } from './setup.ts';
import { figure, textTable } from './table.ts';

/** One way of searching. */
export interface SearchRun {
  readonly consumed: Consumption;
  readonly milliseconds: number;
  /** Milliseconds of processor time. */
  readonly cpu: number;
}

export interface MeasuredSearch {
  readonly searched: SearchCase;
  /** With nothing cached. */
  readonly cold: SearchRun;
  /** In a process that has the index, but has not found any of these contacts yet. */
  readonly warm: SearchRun;
  /** The same search again. */
  readonly again: SearchRun;
  readonly found: number;
  /** Names of the columns that differ from the model. */
  readonly wrong: readonly string[];
}

const size = 20;

type Columns = Record<string, { contacts: unknown[]; total: number }>;

/** Searches of each case, of whose times the median counts. Few, because the reads of one person are limited. */
const runs = { cold: 3, warm: 3, again: 15 };

/** Writes the stored index of a dataset, as the reader of the stream would have done an hour ago. */
export async function writeIndex({ tenants }: Setup, { admin, pipeline }: Dataset, now: Date): Promise<void> {
  const { table, moment } = tenants.product.tableOf(admin.organizationId);
  await compactAll({ table, pipeline, newId: moment.newId, now: after(now, -hour) });
}

/** Measures every case cold, warm and again, and compares the responses with a model in memory. The clock of `handle` must show `now`. */
export async function measureSearches(
  handle: Handler,
  dataset: Dataset,
  now: Date,
): Promise<MeasuredSearch[]> {
  const measured: MeasuredSearch[] = [];
  for (const searched of searchCases(dataset, now)) {
    const expected = expectedColumns(dataset, searched);
    const wrong = new Set<string>();
    const search = async (): Promise<SearchRun> => {
      const event = toHttpEvent({ body: { size, ...searched.body } }, searched.person ?? dataset.admin);
      const { ms: milliseconds, cpu, result } = await timed(() => handle(event));
      if (result.status !== 200) {
        throw new Error(`${searched.name}: returned ${result.status}: ${result.body.slice(0, 300)}`);
      }
      const { data } = JSON.parse(result.body) as { data: Columns };
      for (const difference of differences(data, expected)) {
        wrong.add(difference);
      }
      return { consumed: result.consumed, milliseconds, cpu };
    };
    const measuredAfter = async (prepare: () => void, times: number) => {
      const measured: SearchRun[] = [];
      for (let run = 0; run < times; run += 1) {
        prepare();
        measured.push(await search());
      }
      return middle(measured);
    };
    const cold = await measuredAfter(() => forgetIndex(dataset), runs.cold);
    const warm = await measuredAfter(() => forgetFound(dataset), runs.warm);
    const again = await measuredAfter(() => undefined, runs.again);
    measured.push({
      searched,
      ...{ cold, warm, again },
      found: Object.values(expected).reduce((sum, { total }) => sum + total, 0),
      wrong: [...wrong],
    });
  }
  return measured;
}

function middle(some: readonly SearchRun[]): SearchRun {
  const last = some.at(-1);
  if (last === undefined) {
    throw new Error('There is nothing to take the median of');
  }
  return {
    consumed: last.consumed,
    milliseconds: median(some.map(({ milliseconds }) => milliseconds)),
    cpu: median(some.map(({ cpu }) => cpu)),
  };
}

/** Makes the next search one of a process that has not searched yet. */
function forgetIndex({ admin, pipeline }: Dataset): void {
  const key = keyOfIndex(admin.organizationId, pipeline._id);
  const index = indexCache.get(key, new Date());
  if (index !== undefined) {
    indexCache.drop(key, index);
  }
}

/** Makes the next search one of a process that has the index, but has not found any of these contacts yet. */
function forgetFound({ admin, pipeline }: Dataset): void {
  const state = indexCache.get(keyOfIndex(admin.organizationId, pipeline._id), new Date())?.state;
  state?.index.forgetRows();
  state?.cards.clear();
}

/** The expected columns: a filter over all contacts, in the order of the response. */
function expectedColumns(
  { pipeline, contacts }: Dataset,
  { matches, stages, page = 1 }: SearchCase,
): Columns {
  const wanted = stages ?? pipeline.stages.map(({ _id }) => _id);
  return Object.fromEntries(
    wanted.map((stageId) => {
      const stage = pipeline.stages.find(({ _id }) => _id === stageId)?.name ?? '';
      const found = contacts.filter((contact) => contact.stageId === stageId && matches(contact));
      const shown = found
        .slice((page - 1) * size, page * size)
        .map((contact) => toContactResponse(contact, { name: stage }));
      return [stage, { contacts: shown, total: found.length }];
    }),
  );
}

function differences(actual: Columns, expected: Columns): string[] {
  if (!isDeepStrictEqual(Object.keys(actual), Object.keys(expected))) {
    return ['the columns themselves'];
  }
  return Object.keys(expected).filter((stage) => !isDeepStrictEqual(actual[stage], expected[stage]));
}

export function searchTable(measured: readonly MeasuredSearch[]): string {
  const cells = ({ consumed: { roundTrips, requests, readUnits }, milliseconds, cpu }: SearchRun) => [
    roundTrips,
    requests,
    figure(readUnits, 1),
    figure(milliseconds),
    figure(cpu),
  ];
  const columns = ['trips', 'requests', 'RU', 'ms', 'CPU'];
  return textTable(
    [
      ...['query', 'found'],
      ...['cold', 'warm', 'again'].flatMap((when) => columns.map((name) => `${when} ${name}`)),
      'exact',
    ],
    measured.map(({ searched: { name }, cold, warm, again, found, wrong }) => [
      name,
      figure(found),
      ...cells(cold),
      ...cells(warm),
      ...cells(again),
      wrong.length === 0 ? 'yes' : 'NO',
    ]),
  );
}

export function searchVerdicts(measured: readonly MeasuredSearch[], contacts: number): Verdict[] {
  const { unitsFor100000, milliseconds } = budgets.search;
  const full = measured.filter(({ searched }) => searched.isFullSearch).map(({ cold }) => cold);
  const slowest = Math.max(...full.map((run) => run.milliseconds));
  const dearest = Math.max(...full.map(({ consumed }) => consumed.readUnits));
  const most = Math.ceil((unitsFor100000 * Math.max(contacts, 100_000)) / 100_000);
  const wrong = measured.filter((measurement) => measurement.wrong.length > 0);
  const search = 'search of the whole organization with nothing cached';
  return [
    {
      promise: `${search}: at most ${milliseconds} ms`,
      measured: `${figure(slowest)} ms`,
      kept: slowest <= (milliseconds * Math.max(contacts, 100_000)) / 100_000,
    },
    {
      promise: `${search}: at most ${figure(most)} read units`,
      measured: figure(dearest, 1),
      kept: dearest <= most,
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
