import { accessCase, expectStatus } from '../harness/tenants.ts';
import { writtenNote } from '../notes/client.ts';

/** A notification of `rep`, who alone has it. */
export default accessCase({
  subject: 'record',
  refused: { superadmin: 404, admin: 404, head: 404 },
  request: async (tenants) => {
    const { product, rep } = tenants;
    await writtenNote(tenants, rep, { mentions: [rep.userId] });
    const list = await product.call('list-notifications', { token: rep.token });
    return { path: { id: expectStatus(list, 200).data[0]._id } };
  },
});
