import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { listingKey } from './model/listing.ts';
import { ListingResponse } from './model/listing-response.ts';

export default operation({
  route: 'GET /api/marketplace/{id}',
  summary: 'Read a marketplace listing',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(ListingResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.listing } },
  uses: { table: 'read' },
  async run({ path }, { table }) {
    const stored = await table.read(listingKey(path.id));
    if (stored === undefined) {
      throw notFound('Listing');
    }
    return ok({ data: stored.data });
  },
});
