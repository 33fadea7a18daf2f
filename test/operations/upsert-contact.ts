import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({
    body: { match: 'phone', firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] },
  }),
  fieldStatuses: { stage: 404, phoneNumbers: 400 },
});
