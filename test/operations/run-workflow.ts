import { accessCase } from '../harness/tenants.ts';
import { newManualWorkflow } from '../workflows/runs-client.ts';

export default accessCase({
  subject: 'record',
  async request(tenants) {
    const [{ _id: id }, { _id: contactId }] = await Promise.all([
      newManualWorkflow(tenants),
      tenants.newContact(),
    ]);
    return { path: { id }, body: { contactId } };
  },
});
