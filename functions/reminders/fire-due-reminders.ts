import { scheduleOperation } from '../../shared/kernel/trigger.ts';
import { dueParts } from '../../shared/reminders/reminder.ts';
import { newBatch } from './model/batch.ts';
import { dueHours, recordProgress } from './model/due-hours.ts';

export default scheduleOperation({
  on: { everyMinutes: 1, parts: dueParts },
  summary: 'Fire the reminders that are due, and notify who made them',
  uses: { platform: 'write', organizations: 'write' },
  async run({ platform, organizations, deadline, part: number, ...clock }) {
    const part = String(number);
    const { present, over } = await dueHours(platform, part, clock.now);
    const batch = newBatch({ platform, organizations }, part, deadline, clock);
    const left = new Set<string>();
    for (const hour of [...present, ...over]) {
      if (!(await batch.fire(hour))) {
        left.add(hour);
      }
    }
    await recordProgress(platform, part, over, (hour) => left.has(hour));
    if (batch.failures.length > 0) {
      throw new Error(`${batch.failures.length} reminders could not be fired`, { cause: batch.failures[0] });
    }
    return batch.figures;
  },
});
