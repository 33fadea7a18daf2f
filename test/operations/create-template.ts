import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { name: 'Welcome', template: 'Hi {{firstName}}', type: 'sms' } }),
});
