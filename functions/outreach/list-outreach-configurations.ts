import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { configurationRange, toConfigurationResponse } from './model/configuration.ts';
import { ConfigurationResponse } from './model/configuration-response.ts';

export default operation({
  route: 'GET /api/outreach',
  summary: 'List outreach configurations',
  description: 'Newest first.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(ConfigurationResponse),
  uses: { table: 'read' },
  async run({ query: { limit, cursor } }, { table }) {
    const range = configurationRange();
    const { records, nextCursor } = await table.page(range, { limit, cursor, descending: true });
    return ok({
      data: records.map(({ data }) => toConfigurationResponse(data)),
      nextCursor,
    });
  },
});
