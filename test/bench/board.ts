import type { Consumption } from '../../shared/kernel/ports.ts';
import { budgets, type Verdict } from './budgets.ts';
import { type Dataset, stageCount } from './dataset.ts';
import { median, quantile, timed } from './figures.ts';
import { eventOf, type Handler, handlerOf } from './kernel.ts';
import type { Setup } from './setup.ts';
import { figure, textTable } from './table.ts';

export interface MeasuredBoard {
  readonly contacts: number;
  readonly consumed: Consumption;
  readonly samples: number[];
}

const size = 20;

export async function boardHandler({ resources, https }: Setup, clock?: () => Date): Promise<Handler> {
  const name = 'list-contacts-by-stage';
  const registered = https.get(name);
  if (registered === undefined) {
    throw new Error(`There is no operation ${name}.`);
  }
  return handlerOf(name, registered.operation, resources, clock);
}

/** The first page of the whole board of each dataset, in turns, warm. */
export async function measureBoards(
  handle: Handler,
  datasets: readonly Dataset[],
  rounds: number,
): Promise<MeasuredBoard[]> {
  const boards: MeasuredBoard[] = [];
  for (const { admin, contacts } of datasets) {
    const event = eventOf({ body: { size } }, admin);
    await handle({ ...event });
    const { consumed } = await handle({ ...event });
    boards.push({ contacts: contacts.length, consumed, samples: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    // Whoever comes first in a round comes last in the next one.
    const turn = [...datasets.keys()];
    for (const index of round % 2 === 0 ? turn : turn.reverse()) {
      const dataset = datasets[index];
      if (dataset !== undefined) {
        const event = eventOf({ body: { size } }, dataset.admin);
        boards[index]?.samples.push((await timed(() => handle(event))).ms);
      }
    }
  }
  return boards;
}

export function boardTable(boards: readonly MeasuredBoard[]): string {
  return textTable(
    ['contacts', 'trips', 'requests', 'RU', 'p50 ms', 'p99 ms', 'calls'],
    boards.map(({ contacts, consumed: { roundTrips, requests, readUnits }, samples }) => [
      figure(contacts),
      roundTrips,
      requests,
      readUnits,
      figure(median(samples), 2),
      figure(quantile(samples, 0.99), 2),
      samples.length,
    ]),
  );
}

/** Of a few contacts and of many. */
export function boardVerdicts(few: MeasuredBoard, many: MeasuredBoard): Verdict[] {
  const { readUnits, roundTrips, timeRatio } = budgets.board;
  const ratio = median(many.samples) / median(few.samples);
  const board = `board of ${stageCount} x ${size} over ${figure(many.contacts)} contacts`;
  return [
    {
      promise: `${board}: ${roundTrips} round trip`,
      measured: String(many.consumed.roundTrips),
      kept: many.consumed.roundTrips <= roundTrips,
    },
    {
      promise: `${board}: at most ${readUnits} read units`,
      measured: String(many.consumed.readUnits),
      kept: many.consumed.readUnits <= readUnits,
    },
    {
      promise: `${board}: as many read units as over ${figure(few.contacts)}`,
      measured: `${many.consumed.readUnits} and ${few.consumed.readUnits}`,
      kept: many.consumed.readUnits === few.consumed.readUnits,
    },
    {
      promise: `${board}: at most ${timeRatio} x the time over ${figure(few.contacts)}`,
      measured: figure(ratio, 2),
      kept: ratio <= timeRatio,
    },
  ];
}
