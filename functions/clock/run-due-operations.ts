import { dueParts } from '../../shared/due/due-entry.ts';
import { scheduleOperation } from '../../shared/kernel/trigger.ts';
import { runDue } from './model/run-due.ts';

export default scheduleOperation({
  on: { everyMinutes: 1, parts: dueParts },
  summary: 'Do what is due now, such as firing reminders',
  uses: { platform: 'write', dueOperations: 'run' },
  async run({ platform, dueOperations, deadline, now, part }) {
    return runDue({ platform, dueOperations, deadline, now }, String(part));
  },
});
