import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { listAnswer, pageMeanings, pageQuery } from '../../shared/kernel/paging.ts';
import { listingRange } from './model/listing.ts';
import { ListingAnswer } from './model/listing-response.ts';

export default operation({
  route: 'GET /api/marketplace',
  summary: 'List marketplace listings',
  description: "The organization's, newest first.",
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  meanings: pageMeanings,
  output: listAnswer(ListingAnswer),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const { records, nextCursor } = await table.page(listingRange(), {
      ...query,
      descending: true,
      consistent: true,
    });
    return { success: true as const, data: records.map(({ data }) => data), nextCursor };
  },
});
