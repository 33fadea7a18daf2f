import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findEndpoint } from './model/endpoint.ts';
import { EndpointResponse, toEndpointResponse } from './model/endpoint-response.ts';

export default operation({
  route: 'GET /api/webhook-endpoints/{id}',
  summary: 'Read a webhook endpoint',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: dataResponse(EndpointResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.webhookEndpoint } },
  uses: { table: 'read' },
  async run({ path }, { table }) {
    const { data } = await findEndpoint(table, path.id);
    return ok({ data: toEndpointResponse(data) });
  },
});
