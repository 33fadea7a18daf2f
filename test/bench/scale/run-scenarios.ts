import { advanceRun } from '../../../functions/workflows/model/runs/advance-run.ts';
import { dueParts } from '../../../shared/events/due-entry.ts';
import { after, day, minute, second } from '../../../shared/kernel/time.ts';
import { median } from '../figures.ts';
import { rest, runsToMeasure } from '../measured-runs.ts';
import { limitsAt, type Sample, scarcestFirst } from './load.ts';
import { processorFor, tableAnswer } from './prices.ts';
import type { Use } from './recorder.ts';
import type { Scenario } from './scenarios.ts';

/** Enough that every shard of a counter occurs, each run for another contact. */
const runs = 250;

/** Enough to know the clock's own share of the work. */
const timedRuns = 40;

/** Describes the clock: the milliseconds in which it wakes runs, the contacts at a time, and the share of a vCPU that its function has. */
const clock = { wakes: 9_000, width: 25, processor: processorFor(1_024) };

/** A scenario of runs that become due in the same minute, each with a note to write and another wait after it. */
const due = (whose: string, organizations: number): Scenario => ({
  title: `10,000 runs of ${whose} that become due at the same minute, each with a note to write`,
  rate: 1_000,
  unit: 'a second',
  async limits({ tenants, recorder }) {
    const bench = await runsToMeasure(tenants);
    const note = { type: 'addNote', data: { note: 'Call back' } };
    const { _id, disable } = await bench.workflowOf([rest, note, rest]);
    const begin = new Date();
    /** Runs whose wait is over. Started one after the other, so that the rate of the workflow postpones none. */
    const newDue = async (count: number) => {
      const { _id: contactId } = await tenants.newContact();
      const now = after(begin, count * second);
      const runId = await bench.started(_id, contactId, now);
      return { contactId, runId, entry: await bench.waiting(runId, now), dueAt: after(now, day + minute) };
    };
    const clockTimes: number[] = [];
    for (let count = 0; count < timedRuns; count += 1) {
      const { entry, dueAt } = await newDue(count);
      const { cpu } = await recorder.without(() => bench.wake(entry, dueAt));
      clockTimes.push(cpu / clock.processor);
    }
    const uses: Use[] = [];
    for (let count = 0; count < runs; count += 1) {
      const { contactId, runId, entry, dueAt } = await newDue(timedRuns + count);
      recorder.take();
      await bench.wake(entry, dueAt);
      await advanceRun(bench.invocationAt(dueAt).context, runId);
      uses.push(...ownedBy(contactId, recorder.take()));
    }
    await disable();
    const inOneRun = clock.wakes / Math.max(median(clockTimes), (2 * tableAnswer) / clock.width);
    return scarcestFirst([
      ...limitsAt(this.rate, { calls: runs, uses }, { organizations }),
      {
        what: `runs woken a second, while ${dueParts} runs of the clock are at work`,
        needed: this.rate,
        limit: Math.floor((inOneRun * dueParts) / (clock.wakes / second)),
      },
    ]);
  },
});

const starts: Scenario = {
  title: '10,000 contacts that appear at once and start runs of one workflow',
  rate: 1_000,
  unit: 'starts a second',
  async limits({ tenants, recorder }) {
    const bench = await runsToMeasure(tenants);
    const { _id, disable } = await bench.workflowOf([rest]);
    const now = new Date();
    const occurrences = [];
    for (let count = 0; count < runs; count += 1) {
      const { _id: contactId } = await tenants.newContact();
      occurrences.push(bench.appearance(_id, contactId, now));
    }
    recorder.take();
    const { start } = await bench.startedBy(occurrences, now);
    if (start.started !== runs) {
      throw new Error(`Of ${runs} runs ${start.started} were started.`);
    }
    const uses = occurrences.reduce((uses, { contactId }) => ownedBy(contactId, uses), recorder.take());
    await disable();
    return limitsAt(starts.rate, { calls: runs, uses } satisfies Sample);
  },
};

/** The partitions of contacts are spread over the table, however often one run reads its own. */
function ownedBy(contactId: string, uses: readonly Use[]): Use[] {
  return uses.map((use, index) =>
    use.partition.includes(contactId) ? { ...use, partition: `${use.partition}#${index}` } : use,
  );
}

export const runScenarios: readonly Scenario[] = [
  due('one workflow', 1),
  due('10 organizations, a workflow each,', 10),
  starts,
];
