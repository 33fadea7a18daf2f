import * as z from 'zod/mini';
import { endpointRange } from '../../shared/events/webhook-endpoint.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { EndpointResponse, toEndpointResponse } from './model/endpoint-response.ts';

export default operation({
  route: 'GET /api/webhook-endpoints',
  summary: 'List the webhook endpoints of the organization, newest first',
  description: 'No response shows a secret again.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(EndpointResponse),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const options = { ...query, descending: true, consistent: true };
    const { records, nextCursor } = await table.page(endpointRange(), options);
    return ok({ data: records.map(({ data }) => toEndpointResponse(data)), nextCursor });
  },
});
