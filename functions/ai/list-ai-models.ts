import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { aiModelRange } from './model/model.ts';
import { AiModelResponse } from './model/model-fields.ts';

export default operation({
  route: 'GET /api/ai-models',
  summary: 'List AI models',
  description: 'The registry that all organizations share, newest entry first.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(AiModelResponse),
  uses: { platform: 'read' },
  async run({ query }, { platform }) {
    const { records, nextCursor } = await platform.page(aiModelRange(), {
      ...query,
      descending: true,
      consistent: true,
    });
    return ok({ data: records.map(({ data }) => data), nextCursor });
  },
});
