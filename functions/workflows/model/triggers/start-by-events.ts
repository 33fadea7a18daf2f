import { forEachConcurrently } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Occurrence } from '../definition/topics.ts';
import { subscribersIn, triggerRange } from '../definition/trigger-rows.ts';
import { receiveAwaited } from './awaited-events.ts';
import { eventFilterOf, passingNodes } from './event-filter.ts';
import {
  type Candidate,
  type ExpectedEnrolments,
  type ExpectedStarts,
  expectedStarts,
} from './expected-starts.ts';
import { type Start, type StartTables, startsOf } from './start.ts';
import { startRuns } from './start-runs.ts';
import { startTimes } from './start-times.ts';

/** Contacts whose occurrences are handled at the same time; those of one follow each other. */
const width = 8;

/** What some occurrences have led to. */
export interface Figures {
  started: number;
  refused: number;
  received: number;
}

/** An occurrence, and the workflows that it starts runs of. */
interface Matched {
  readonly occurrence: Occurrence;
  readonly matches: readonly ExpectedStarts[];
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
  const { matched, received, failures } = await matchAll(tables, occurrences, clock);
  const { starts, failures: untimed } = await timedStarts(tables, matched, clock.now);
  const figures: Figures = { started: 0, refused: 0, received };
  const unstarted = await byContact(
    starts,
    ({ occurrence }) => occurrence.contactId,
    async (start) => {
      for (const started of await startRuns(tables, start, clock)) {
        figures['runId' in started ? 'started' : 'refused'] += 1;
      }
    },
  );
  return { ...figures, failures: [...failures, ...untimed, ...unstarted] };
}

/** Finds the workflows that each occurrence starts runs of, in the order of the occurrences, and tells the runs that wait for them. */
async function matchAll(
  tables: StartTables,
  occurrences: readonly Occurrence[],
  clock: ClockAndIds,
): Promise<{
  readonly matched: readonly Matched[];
  readonly received: number;
  readonly failures: readonly unknown[];
}> {
  const subscribers = subscribersByTopic(tables, occurrences);
  const enrolments: ExpectedEnrolments = new Map();
  const matchesOf = new Map<Occurrence, readonly ExpectedStarts[]>();
  let received = 0;
  const failures = await byContact(occurrences, contactIdOf, async (occurrence) => {
    const { triggers = [], isAwaited = false } = (await subscribers.get(occurrence.topic)) ?? {};
    if (triggers.length === 0 && !isAwaited) {
      return;
    }
    const eventFilter = eventFilterOf(tables.table, occurrence, clock.now);
    if (isAwaited) {
      const runs = await receiveAwaited(tables, occurrence, eventFilter, clock);
      received += runs;
    }
    const candidates: Candidate[] = [];
    for (const row of triggers) {
      const passing = await passingNodes(eventFilter, row);
      candidates.push(...(passing.length === 0 ? [] : [{ row, passing }]));
    }
    const expected = await expectedStarts(tables, occurrence, candidates, enrolments, clock.now);
    // Without those whose nodes an earlier delivery has decided about.
    matchesOf.set(
      occurrence,
      expected.filter(({ nodeIds }) => nodeIds.length > 0),
    );
  });
  const matched = occurrences.map((occurrence) => ({ occurrence, matches: matchesOf.get(occurrence) ?? [] }));
  return { matched, received, failures };
}

/** Reads the triggers of each topic, and whether runs wait for it. A topic that cannot be read fails for each of its occurrences. */
function subscribersByTopic({ table }: StartTables, occurrences: readonly Occurrence[]) {
  const topics = new Set(occurrences.map(({ topic }) => topic));
  return new Map(
    [...topics].map((topic) => {
      const found = table.list(triggerRange(topic), { consistent: true }).then(subscribersIn);
      found.catch(() => undefined); // Its occurrences see the error.
      return [topic, found] as const;
    }),
  );
}

/** The starts in the order of their occurrences, each at its time: bursts of a workflow are spread. */
async function timedStarts(
  { table }: Pick<StartTables, 'table'>,
  matched: readonly Matched[],
  now: Date,
): Promise<{ starts: readonly Start[]; failures: readonly unknown[] }> {
  const wanted = matched.flatMap(({ occurrence, matches }) =>
    matches.map((match) => ({ occurrence, ...match })),
  );
  const times = new Map<string, Date[]>();
  const failures = await forEachConcurrently(
    Map.groupBy(wanted, ({ row }) => row.workflowId),
    width,
    async ([workflowId, some]) => {
      const [first] = some;
      const count = some.reduce((sum, { starting }) => sum + starting.size, 0);
      if (first !== undefined) {
        times.set(workflowId, count === 0 ? [] : await startTimes(table, first.row, count, now));
      }
    },
  );
  const starts = wanted.flatMap(({ occurrence, row, passing, nodeIds, starting }): Start[] => {
    const own = times.get(row.workflowId);
    if (own === undefined) {
      return [];
    }
    const nodes = nodeIds.map((nodeId) => {
      const time = starting.has(nodeId) ? own.shift() : undefined;
      return { nodeId, ...(time && { startsAt: timestamp(time) }) };
    });
    return startsOf({ row, occurrence, nodes }, passing);
  });
  return { starts, failures };
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
