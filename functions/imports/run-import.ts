import { dueOperation } from '../../shared/events/due-operation.ts';
import { runJob } from '../../shared/jobs/run-job.ts';
import { importRows } from './model/import-rows.ts';

export default dueOperation({
  on: 'importJob',
  summary: 'Import the next rows of a file',
  uses: {
    organizations: 'write',
    platform: 'write',
    stepOperations: 'run',
    objects: 'plans',
    rateLimits: 'limit',
    trialPolicy: 'read',
  },
  run(entry, { organizations, platform, stepOperations, objects, rateLimits, trialPolicy, ...moment }) {
    const type = importRows(objects(entry.organizationId), { rateLimits, trialPolicy });
    return runJob(type, entry, { organizations, platform, stepOperations, ...moment });
  },
});
