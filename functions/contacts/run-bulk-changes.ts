import { dueOperation } from '../../shared/events/due-operation.ts';
import { runJob } from '../../shared/jobs/run-job.ts';
import { bulkChanges } from './model/bulk-change.ts';

export default dueOperation({
  on: 'bulkJob',
  summary: 'Change the next contacts of a job',
  uses: { organizations: 'write', platform: 'write', stepOperations: 'run' },
  run(entry, { organizations, platform, stepOperations, ...clock }) {
    return runJob(bulkChanges, entry, { organizations, platform, stepOperations, ...clock });
  },
});
