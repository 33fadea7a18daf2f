import { dueOperation } from '../../shared/events/due-operation.ts';
import { runJob } from '../../shared/jobs/run-job.ts';
import { contactExports } from './model/export-job.ts';

export default dueOperation({
  on: 'exportJob',
  summary: 'Collect the next contacts of an export, or write its file',
  uses: { organizations: 'write', platform: 'write', stepOperations: 'run', objects: 'exportFiles' },
  run: (entry, { organizations, platform, stepOperations, objects, ...moment }) =>
    runJob(contactExports(objects(entry.organizationId)), entry, {
      ...{ organizations, platform, stepOperations },
      ...moment,
    }),
});
