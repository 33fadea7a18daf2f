import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { callerNumber: newPhoneNumber() } }),
});
