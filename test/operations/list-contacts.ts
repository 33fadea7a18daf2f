import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({}),
  fieldStatuses: { pipelineId: 404 },
});
