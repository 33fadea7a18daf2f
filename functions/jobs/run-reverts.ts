import { dueOperation } from '../../shared/events/due-operation.ts';
import { runJob } from '../../shared/jobs/run-job.ts';
import { reverts } from './model/reverts.ts';

export default dueOperation({
  on: 'revertJob',
  summary: 'Revert the next contacts of a job',
  uses: { organizations: 'write', platform: 'write', stepOperations: 'run' },
  run(entry, { organizations, platform, stepOperations, ...clock }) {
    return runJob(reverts, entry, { organizations, platform, stepOperations, ...clock });
  },
});
