import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { name: 'Onboarding', content: { price: 490 } } }),
});
