import { dueParts } from '../../../shared/events/due-entry.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { reminderRuns } from '../../reminders/reminder-runs.ts';
import { timed } from '../figures.ts';
import { scarcestFirst } from './load.ts';
import { processorFor, tableAnswer } from './prices.ts';
import type { Scenario } from './scenarios.ts';

/** Reminders of one user: as many as one run fires. */
const reminders = 60;

/** Describes a run: the milliseconds of its 10 s in which it fires, the users at a time, and the share of a vCPU that its function has. */
const run = { fires: 9_000, width: 25, processor: processorFor(1_024) };

/** Reminders that are due in the same minute should be fired within five. */
const minutes = 5;

const morning: Scenario = {
  title: "Nine o'clock in 10,000 organizations with a reminder each",
  rate: 10_000,
  unit: 'at once',
  async limits({ tenants, recorder }) {
    const { product, rep } = tenants;
    const { remind, run: fire } = reminderRuns(product);
    const contact = await tenants.newContact();
    const fired = async (at: Date) => {
      for (let made = 0; made < reminders; made += 1) {
        await remind(rep, contact._id, at, `Call back ${made}`);
      }
      recorder.take();
      const { result, cpu } = await timed(() => fire(at));
      if (result.notified !== reminders) {
        throw new Error(`Of ${reminders} reminders ${result.notified} were fired.`);
      }
      return cpu;
    };
    const at = after(new Date(), day);
    const own = (await recorder.without(() => fired(at))) / reminders / run.processor;
    await fired(after(at, day));
    const uses = recorder.take();
    const trips = Math.ceil(uses.filter(({ readUnits }) => readUnits > 0).length / reminders) + 1;
    const inOneRun = run.fires / Math.max(own, (trips * tableAnswer) / run.width);
    const writeUnits = uses.reduce((sum, use) => sum + use.writeUnits, 0) / reminders;
    return scarcestFirst([
      {
        what: `reminders fired within ${minutes} minutes, ${dueParts} runs a minute`,
        needed: morning.rate,
        limit: Math.floor(inOneRun * dueParts * minutes),
      },
      {
        what: 'write units of a table, at first, over these minutes',
        needed: (morning.rate * writeUnits) / (minutes * 60),
        limit: 4_000,
      },
    ]);
  },
};

export const reminderScenarios: readonly Scenario[] = [morning];
