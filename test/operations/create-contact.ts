import { newPhoneNumber, row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: () => ({ body: { firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] } }),
  fieldStatuses: { stage: 404 },
});
