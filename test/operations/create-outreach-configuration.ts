import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { name: 'Spring campaign', source: 'Facebook', secret: true } }),
});
