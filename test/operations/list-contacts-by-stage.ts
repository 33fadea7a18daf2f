import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: {} }),
  fieldStatuses: { pipelineId: 404 },
});
