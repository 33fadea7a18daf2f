import { accessCase, newPhoneNumber } from '../harness/tenants.ts';
import { sparePipeline } from '../pipelines/client.ts';

export default accessCase({
  subject: 'shared',
  request: async (tenants) => ({
    path: { id: (await sparePipeline(tenants))._id },
    body: { name: newPhoneNumber(), stages: [{ name: 'To spare' }, { name: 'Spared' }] },
  }),
});
