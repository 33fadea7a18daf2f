import { spareDefinition } from '../custom-fields/client.ts';
import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async (tenants) => ({
    path: { id: (await spareDefinition(tenants))._id },
    body: { label: newPhoneNumber() },
  }),
});
