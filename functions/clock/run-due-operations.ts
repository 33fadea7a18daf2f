import { dueParts } from '../../shared/events/due-entry.ts';
import { scheduleOperation } from '../../shared/kernel/trigger.ts';
import { runDue } from './model/run-due.ts';

export default scheduleOperation({
  on: { everyMinutes: 1, parts: dueParts },
  summary: 'Do what is due now, such as firing reminders, and hand over what is due in the next minute',
  uses: { platform: 'write', dueOperations: 'run', queue: 'workflowRuns' },
  async run({ platform, dueOperations, queue, deadline, now, part }) {
    return runDue({ platform, dueOperations, queue, deadline, now }, String(part));
  },
});
