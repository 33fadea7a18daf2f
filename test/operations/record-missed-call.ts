import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  request: () => ({ body: { callerNumber: newPhoneNumber() } }),
});
