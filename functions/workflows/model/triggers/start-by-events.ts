import { forEachConcurrently } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { readAhead } from '../../../../shared/kernel/read-ahead.ts';
import type { Occurrence } from '../definition/topics.ts';
import { subscribersIn, triggerRange } from '../definition/triggers.ts';
import { receiveAwaited } from './awaited-events.ts';
import { findPassingNodes, newEventFilter } from './event-filter.ts';
import { type Start, type StartTables, startsInChunks } from './start.ts';
import { type PreparedStart, prepareStarts, spreadStarts, startRuns } from './start-runs.ts';

/** Contacts whose occurrences are handled at the same time; those of one follow each other. */
const width = 8;

/** The results of some occurrences. */
export interface Figures {
  started: number;
  refused: number;
  received: number;
}

/**
 * Starts the runs of one organization that some occurrences start, and tells the runs that wait for them. A failure holds up nothing but
 * what failed.
 * @returns what has come of them, and the errors.
 */
export async function startByEvents(
  tables: StartTables,
  occurrences: readonly Occurrence[],
  clock: ClockAndIds,
): Promise<Figures & { readonly failures: readonly unknown[] }> {
  const { starts: found, received, failures } = await findStarts(tables, occurrences, clock);
  const { starts, failures: untimed } = await spreadAll(tables, found, clock.now);
  const figures: Figures = { started: 0, refused: 0, received };
  const unstarted = await byContact(
    starts,
    ({ start }) => start.occurrence.contactId,
    async ({ start, facts }) => {
      for (const started of await startRuns(tables, start, clock, facts)) {
        figures['runId' in started ? 'started' : 'refused'] += 1;
      }
    },
  );
  return { ...figures, failures: [...failures, ...untimed, ...unstarted] };
}

/** Finds the starts that follow from each occurrence, in the order of the occurrences, and tells the runs that wait for them. */
async function findStarts(
  tables: StartTables,
  occurrences: readonly Occurrence[],
  clock: ClockAndIds,
): Promise<{
  readonly starts: readonly PreparedStart[];
  readonly received: number;
  readonly failures: readonly unknown[];
}> {
  const subscribers = subscribersByTopic(tables, occurrences);
  const startsOfAll = new Map<Occurrence, readonly PreparedStart[]>();
  const entering = new Set<string>();
  let received = 0;
  const failures = await byContact(occurrences, contactIdOf, async (occurrence) => {
    const { triggers = [], isAwaited = false } = (await subscribers.get(occurrence.topic)) ?? {};
    if (triggers.length === 0 && !isAwaited) {
      return;
    }
    const eventFilter = newEventFilter(tables.table, occurrence, clock.now);
    if (isAwaited) {
      received += await receiveAwaited(tables, occurrence, eventFilter, clock);
    }
    const starts: Start[] = [];
    for (const row of occurrence.startsNoRuns ? [] : triggers) {
      const passing = await findPassingNodes(eventFilter, row);
      starts.push(
        ...startsInChunks({ row, occurrence, nodes: passing.map((nodeId) => ({ nodeId })) }, passing),
      );
    }
    const prepared = await prepareStarts(tables, starts, clock.now);
    startsOfAll.set(
      occurrence,
      prepared.map((start) => enteringOnce(start, entering)),
    );
  });
  const starts = occurrences.flatMap((occurrence) => startsOfAll.get(occurrence) ?? []);
  return { starts, received, failures };
}

/** Only the first of these starts of a contact that enters a workflow once takes a place at the rate of the workflow. */
function enteringOnce(prepared: PreparedStart, entering: Set<string>): PreparedStart {
  const { row, occurrence } = prepared.start;
  const name = JSON.stringify([occurrence.contactId, row.workflowId]);
  if (row.reentry !== 'always' && entering.has(name)) {
    return { ...prepared, starting: new Set() };
  }
  if (prepared.starting.size > 0) {
    entering.add(name);
  }
  return prepared;
}

/** Reads the triggers of each topic, and whether runs wait for it. A topic that cannot be read fails for each of its occurrences. */
function subscribersByTopic({ table }: StartTables, occurrences: readonly Occurrence[]) {
  const topics = new Set(occurrences.map(({ topic }) => topic));
  return new Map(
    [...topics].map((topic) => {
      const found = table.list(triggerRange(topic), { consistent: true }).then(subscribersIn);
      return [topic, readAhead(found)] as const;
    }),
  );
}

/** The starts in the same order, each at its time. */
async function spreadAll(
  { table }: Pick<StartTables, 'table'>,
  starts: readonly PreparedStart[],
  now: Date,
): Promise<{ starts: readonly PreparedStart[]; failures: readonly unknown[] }> {
  const spread = new Map<string, PreparedStart[]>();
  const failures = await forEachConcurrently(
    Map.groupBy(starts, ({ start }) => start.row.workflowId),
    width,
    async ([workflowId, some]) => {
      spread.set(workflowId, [...(await spreadStarts(table, some, now))]);
    },
  );
  return { starts: starts.flatMap(({ start }) => spread.get(start.row.workflowId)?.shift() ?? []), failures };
}

const contactIdOf = ({ contactId }: Occurrence) => contactId;

/** Acts on all items, those of a contact one after the other, even if some fail; returns the errors. */
async function byContact<Item>(
  items: readonly Item[],
  contactOf: (item: Item) => string,
  act: (item: Item) => Promise<void>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  await forEachConcurrently(Map.groupBy(items, contactOf), width, async ([, some]) => {
    for (const item of some) {
      await act(item).catch((error: unknown) => failures.push(error));
    }
  });
  return failures;
}
