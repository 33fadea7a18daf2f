import { accessCase } from '../harness/tenants.ts';
import { closedUrl } from '../webhook-endpoints/endpoints.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { url: closedUrl, events: ['*'] } }),
});
