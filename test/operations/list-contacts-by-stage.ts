import { row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: () => ({ body: {} }),
  fieldStatuses: { pipelineId: 404 },
});
