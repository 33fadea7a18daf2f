import { findChild, requireCreator } from '../../shared/contacts/find-child.ts';
import { snapshotEntryKey, snapshotKey } from '../../shared/conversations/snapshot.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';

const what = 'Training snapshot';

export default operation({
  route: 'DELETE /api/training-snapshots/{id}',
  summary: 'Delete a training snapshot',
  description: 'Only its creator, or a DEPARTMENT_HEAD or higher who can see the contact, may do this.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareSnapshot } },
  uses: { table: 'write' },
  async run({ path: { id } }, { table, caller }) {
    const key = snapshotKey(id);
    const stored = await findChild(table, caller, key, what);
    requireCreator(stored.data, caller);
    await table.commit([
      // A snapshot never changes, so another version means that it has been deleted.
      table.delete(stored.key, { ifVersion: stored.version, otherwise: () => notFound(what) }),
      table.delete(snapshotEntryKey(stored.data.createdBy, id)),
    ]);
    return ok({ message: 'Snapshot deleted' });
  },
});
