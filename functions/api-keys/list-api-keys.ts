import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { apiKeyRange } from '../../shared/organizations/api-key.ts';
import { ApiKeyResponse, toApiKeyResponse } from './model/api-key-response.ts';

export default operation({
  route: 'GET /api/api-keys',
  summary: 'List the API keys of the organization, newest first',
  description: 'Including expired keys, until they are deleted. No response shows a secret again.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(ApiKeyResponse),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const options = { ...query, descending: true, consistent: true };
    const { records, nextCursor } = await table.page(apiKeyRange(), options);
    return ok({ data: records.map(toApiKeyResponse), nextCursor });
  },
});
