import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { listingRange } from './model/listing.ts';
import { ListingResponse } from './model/listing-response.ts';

export default operation({
  route: 'GET /api/marketplace',
  summary: 'List marketplace listings',
  description: "The organization's listings, newest first.",
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(ListingResponse),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const { records, nextCursor } = await table.page(listingRange(), {
      ...query,
      descending: true,
      consistent: true,
    });
    return ok({ data: records.map(({ data }) => data), nextCursor });
  },
});
