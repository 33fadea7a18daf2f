import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { DeliveryResponse, findDelivery, toDeliveryResponse } from './model/delivery-response.ts';

export default operation({
  route: 'GET /api/webhook-deliveries/{id}',
  summary: 'Read a webhook delivery',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: dataResponse(DeliveryResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.webhookDelivery } },
  uses: { table: 'read' },
  async run({ path }, { table }) {
    const { delivery, endpoint } = await findDelivery(table, path.id);
    return ok({ data: toDeliveryResponse(delivery, endpoint) });
  },
});
