import { newPhoneNumber, row } from '../harness/world.ts';

export default row({
  about: 'self',
  request: () => ({ body: { callerNumber: newPhoneNumber() } }),
});
