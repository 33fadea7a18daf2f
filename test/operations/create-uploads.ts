import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { files: [{ name: 'offer.pdf', type: 'application/pdf', size: 1_000 }] } }),
});
