import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { apiKeyRange, apiKeyUseRange } from '../../shared/organizations/api-key.ts';
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
  uses: { table: 'read', identity: 'read' },
  async run({ query }, { table, identity, caller }) {
    const options = { ...query, descending: true, consistent: true };
    const [{ records, nextCursor }, uses] = await Promise.all([
      table.page(apiKeyRange(), options),
      identity.list(apiKeyUseRange(caller.organizationId), { consistent: false }),
    ]);
    const useOf = new Map(uses.map((use) => [use.key.sort[1], use]));
    return ok({ data: records.map(({ data }) => toApiKeyResponse(data, useOf.get(data._id))), nextCursor });
  },
});
