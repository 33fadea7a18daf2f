import { accessCase } from '../harness/tenants.ts';
import { writtenNote } from '../notes/client.ts';

export default accessCase({
  subject: 'record',
  refused: { superadmin: 403, admin: 403, head: 403 },
  request: async (tenants) => ({
    path: { id: (await writtenNote(tenants, tenants.rep))._id },
    body: { note: 'Call back on Monday' },
  }),
  fieldStatuses: { note: 400 },
});
