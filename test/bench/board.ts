import listContactsByStage from '../../functions/contacts/list-contacts-by-stage.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { budgets, type Verdict } from './budgets.ts';
import type { Dataset } from './dataset.ts';
import { median, quantile, timed } from './figures.ts';
import { type Handler, makeHandler, type Outcome, toHttpEvent } from './kernel.ts';
import type { Setup } from './setup.ts';
import { figure, textTable } from './table.ts';

const name = 'list-contacts-by-stage';
const operation: Operation = listContactsByStage;
const size = 20;

/** The users whose boards are measured: each sees another part of the contacts. */
const viewers = { ADMIN: 'admin', SALES_REP: 'rep', DEPARTMENT_HEAD: 'head' } as const;
type Viewer = keyof typeof viewers;

export interface MeasuredBoard {
  readonly viewer: Viewer;
  /** The number of contacts in the organization. */
  readonly contacts: number;
  readonly warm: Consumption;
  readonly samples: number[];
}

export function boardHandler({ tenants }: Setup, clock?: () => Date): Promise<Handler> {
  return makeHandler(tenants.product, { name, operation }, clock);
}

/** Measures the first page of the board of each user in each dataset, in a process that has read it before: the boards in turn. */
export async function measureBoards(
  handle: Handler,
  datasets: readonly Dataset[],
  rounds: number,
): Promise<MeasuredBoard[]> {
  const boards: { measured: MeasuredBoard; call(): Promise<Outcome> }[] = [];
  for (const dataset of datasets) {
    for (const viewer of Object.keys(viewers) as Viewer[]) {
      const event = toHttpEvent({ body: { size } }, dataset[viewers[viewer]]);
      const call = async () => handle(event);
      await call();
      const { consumed: warm } = expectBoard(await call());
      const contacts = dataset.contacts.length;
      boards.push({ measured: { viewer, contacts, warm, samples: [] }, call });
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates, so that no board gains from its place.
    for (const { measured, call } of round % 2 === 0 ? boards : boards.toReversed()) {
      measured.samples.push((await timed(call)).ms);
    }
  }
  return boards.map(({ measured }) => measured);
}

function expectBoard(outcome: Outcome): Outcome {
  if (outcome.status !== 200) {
    throw new Error(`The board returned ${outcome.status}: ${outcome.body.slice(0, 300)}`);
  }
  return outcome;
}

export function boardTable(boards: readonly MeasuredBoard[]): string {
  return textTable(
    ['asked by', 'contacts', 'trips', 'requests', 'RU', 'p50 ms', 'p99 ms'],
    boards.map(({ viewer, contacts, warm, samples }) => [
      viewer,
      figure(contacts),
      warm.roundTrips,
      warm.requests,
      figure(warm.readUnits, 1),
      figure(median(samples), 2),
      figure(quantile(samples, 0.99), 2),
    ]),
  );
}

/** Compares the datasets with the fewest and the most contacts. */
export function boardVerdicts(boards: readonly MeasuredBoard[]): Verdict[] {
  return (Object.keys(viewers) as Viewer[]).flatMap((viewer) => {
    const own = boards
      .filter((board) => board.viewer === viewer)
      .toSorted((board, other) => board.contacts - other.contacts);
    const [few, many] = [own[0], own.at(-1)];
    return [
      ...own.map(unitsVerdict),
      ...(few === undefined || many === undefined || few === many || viewer === 'DEPARTMENT_HEAD'
        ? []
        : [sameUnitsVerdict(few, many), ...(viewer === 'ADMIN' ? [timeVerdict(few, many)] : [])]),
    ];
  });
}

const titleOf = ({ viewer, contacts }: MeasuredBoard) =>
  `board of the ${viewer} over ${figure(contacts)} contacts, warm`;

function unitsVerdict(board: MeasuredBoard): Verdict {
  const { readUnits, roundTrips } = board.warm;
  if (board.viewer === 'DEPARTMENT_HEAD') {
    const most = budgets.departmentBoard.readUnits;
    return {
      promise: `${titleOf(board)}: at most ${most} read units`,
      measured: figure(readUnits, 1),
      kept: readUnits <= most,
    };
  }
  const most = budgets.board;
  return {
    promise: `${titleOf(board)}: at most ${most.readUnits} read units in ${most.roundTrips} round trip`,
    measured: `${figure(readUnits, 1)} in ${roundTrips}`,
    kept: readUnits <= most.readUnits && roundTrips <= most.roundTrips,
  };
}

function sameUnitsVerdict(few: MeasuredBoard, many: MeasuredBoard): Verdict {
  return {
    promise: `${titleOf(many)}: as many read units as over ${figure(few.contacts)}`,
    measured: `${figure(many.warm.readUnits, 1)} and ${figure(few.warm.readUnits, 1)}`,
    kept: many.warm.readUnits === few.warm.readUnits,
  };
}

function timeVerdict(few: MeasuredBoard, many: MeasuredBoard): Verdict {
  const { timeRatio } = budgets.board;
  const ratio = median(many.samples) / median(few.samples);
  return {
    promise: `${titleOf(many)}: at most ${timeRatio} x the time over ${figure(few.contacts)}`,
    measured: figure(ratio, 2),
    kept: ratio <= timeRatio,
  };
}
