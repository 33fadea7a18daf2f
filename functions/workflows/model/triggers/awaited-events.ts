import { readContact, runPartitions } from '../../../../shared/contacts/holdings.ts';
import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import { type PlanSources, readPlan } from '../definition/plan-row.ts';
import type { Occurrence } from '../definition/topics.ts';
import { endedRun, isOver, wokenRun } from '../execution/engine.ts';
import { changeRun, type RunChange } from '../runs/change-run.ts';
import { awaitedBy, awaitedEventRange, type Run, runKey, type Token } from '../runs/run.ts';
import type { RunTables } from '../runs/run-actions.ts';
import type { EventFilter } from './event-filter.ts';
import { canOwnerSee, type Owners } from './owners.ts';

/** Runs that an event is passed to at the same time. */
const width = 8;

/** The meaning of an occurrence to a run that waits for it: an end, or the ends of some of its waits. */
interface Meaning {
  readonly end?: 'goal' | 'reply';
  /** The numbers of the tokens. */
  readonly received: ReadonlySet<number>;
}

/**
 * Passes an event to the contact's runs that wait for it: it ends their waits, or the runs themselves. It does not apply to what began
 * after it, so a second delivery does nothing; nor to a run whose owner may not see the contact, since the run would reveal the event.
 * @returns how many runs it concerns; one that ends at this moment stays as it is.
 */
export async function receiveAwaited(
  tables: RunTables & Pick<PlanSources, 'objects'> & { readonly owners: Owners },
  occurrence: Occurrence,
  eventFilter: EventFilter,
  clock: ClockAndIds,
): Promise<number> {
  const { table } = tables;
  const { contactId, topic } = occurrence;
  const [own, contact] = await Promise.all([
    table.list(awaitedEventRange(contactId, topic), { consistent: true }),
    readContact(table, contactId),
  ]);
  const partitions =
    contact === undefined ? [] : runPartitions(contact.data).filter((id) => id !== contactId);
  const others = partitions.map((id) => table.list(awaitedEventRange(id, topic), { consistent: true }));
  const awaiting = [own, ...(await Promise.all(others))].flat();
  // A contact may have thousands, and the changes of all organizations wait for them.
  const runs = await readAll(
    table,
    awaiting.map(({ data }) => runKey(data.runId)),
  );
  let changed = 0;
  await forEachOrThrow(runs, width, async (stored) => {
    const meaning = stored && (await meaningOf(tables, stored.data, occurrence, eventFilter));
    if (stored === undefined || meaning === undefined || !(await canOwnerSee(tables, stored.data))) {
      return;
    }
    const { _id } = stored.data;
    await changeRun(tables, _id, (run) => changeOf(run, occurrence, meaning, clock.now), clock);
    changed += 1;
  });
  return changed;
}

/** Undefined for a run that the occurrence does not concern. */
async function meaningOf(
  sources: PlanSources,
  run: Run,
  occurrence: Occurrence,
  eventFilter: EventFilter,
): Promise<Meaning | undefined> {
  if (isOver(run)) {
    return undefined;
  }
  const received = new Set<number>();
  for (const token of run.tokens) {
    const awaited = awaitedBy(token);
    if (
      awaited !== undefined &&
      mayReceive(run, token, occurrence) &&
      (await eventFilter.passes(awaited.awaits))
    ) {
      received.add(token.n);
    }
  }
  const end = await endingOf(sources, run, occurrence, eventFilter);
  return end === undefined && received.size === 0 ? undefined : { received, ...(end && { end }) };
}

async function endingOf(
  sources: PlanSources,
  run: Run,
  { topic, at }: Occurrence,
  eventFilter: EventFilter,
): Promise<Meaning['end']> {
  if (!run.endedBy?.includes(topic) || at < run.startedAt) {
    return undefined;
  }
  const { settings } = (await readPlan(sources, run.workflowId, run.revision)) ?? {};
  if (settings?.goal?.topic === topic && (await eventFilter.passes(settings.goal))) {
    return 'goal';
  }
  return settings?.stopOnReply && topic === 'message.received' ? 'reply' : undefined;
}

/** The run as it then is, which may have moved on since the meaning was found. */
function changeOf(
  run: Run,
  occurrence: Occurrence,
  { end, received }: Meaning,
  now: Date,
): RunChange | undefined {
  if (isOver(run)) {
    return undefined;
  }
  if (end !== undefined) {
    return { after: endedRun(run, 'finished', end, now) };
  }
  const tokens = run.tokens.filter((token) => received.has(token.n) && mayReceive(run, token, occurrence));
  const after = tokens.reduce((before, token) => wokenRun(before, token, 'received'), run);
  return after === run ? undefined : { after, isReady: true };
}

/**
 * Whether a token waits for such an event, or is about to, and was before this one. What the run itself did in the step that led there was
 * before it, though both have the same time.
 */
function mayReceive({ _id }: Run, token: Token, { topic, at, causedBy }: Occurrence): boolean {
  const awaited = awaitedBy(token);
  if (awaited?.awaits.topic !== topic) {
    return false;
  }
  return causedBy?.runId === _id ? awaited.since < at : awaited.since <= at;
}
