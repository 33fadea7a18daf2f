import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { listingKey } from './model/listing.ts';

const missing = () => notFound('Listing');

export default operation({
  route: 'DELETE /api/marketplace/{id}',
  summary: 'Delete a marketplace listing',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareListing } },
  uses: { table: 'write' },
  async run({ path }, { table }) {
    const stored = await table.read(listingKey(path.id));
    if (stored === undefined) {
      throw missing();
    }
    // A listing never changes, so another version means that it has been deleted.
    await table.commit([table.delete(stored.key, { ifVersion: stored.version, otherwise: missing })]);
    return ok({ message: 'Listing deleted' });
  },
});
