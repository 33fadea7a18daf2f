import { accessCase } from '../harness/tenants.ts';
import { writtenNote } from '../notes/client.ts';

export default accessCase({
  subject: 'record',
  refused: { head: 403 },
  request: async (tenants) => ({ path: { id: (await writtenNote(tenants, tenants.rep))._id } }),
});
