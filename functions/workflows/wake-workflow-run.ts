import { dueOperation } from '../../shared/events/due-operation.ts';
import { wakeRun } from './model/runs/wake-run.ts';

export default dueOperation({
  on: 'workflowRun',
  summary: 'Resume a run of a workflow whose wait is over',
  uses: { organizations: 'write' },
  run: (entry, { organizations, ...clock }) => wakeRun(organizations(entry.organizationId), entry, clock),
});
