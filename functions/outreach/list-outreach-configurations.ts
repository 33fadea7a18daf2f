import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { listAnswer, pageMeanings, pageQuery } from '../../shared/kernel/paging.ts';
import { configurationRange, shownConfiguration } from './model/configuration.ts';
import { ConfigurationAnswer } from './model/configuration-response.ts';

export default operation({
  route: 'GET /api/outreach',
  summary: 'List outreach configurations',
  description: 'Newest first.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object(pageQuery),
  meanings: pageMeanings,
  output: listAnswer(ConfigurationAnswer),
  uses: { table: 'read' },
  async run({ query: { limit, cursor } }, { table }) {
    const range = configurationRange();
    const { records, nextCursor } = await table.page(range, { limit, cursor, descending: true });
    return {
      success: true as const,
      data: records.map(({ data }) => shownConfiguration(data)),
      nextCursor,
    };
  },
});
