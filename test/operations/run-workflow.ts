import { row } from '../harness/world.ts';
import { newManualWorkflow } from '../workflows/runs-client.ts';

export default row({
  about: 'record',
  async request(world) {
    const [{ _id: id }, { _id: contactId }] = await Promise.all([
      newManualWorkflow(world),
      world.newContact(),
    ]);
    return { path: { id }, body: { contactId } };
  },
});
