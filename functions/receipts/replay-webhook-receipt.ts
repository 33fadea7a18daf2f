import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import {
  deadRequestKey,
  receiptKey,
  unassignedDeadRequestKey,
  unassignedReceiptKey,
  type WebhookReceipt,
} from '../../shared/messages/webhook-receipt.ts';
import { ReceiptResponse } from './model/receipt-response.ts';

export default operation({
  route: 'POST /api/webhook-receipts/{id}/replay',
  summary: 'Apply a dead receipt again',
  description:
    'For a receipt with the status `dead`, once the reason is gone: its request is applied again within seconds, as if it came in now, and its receipt then says what became of it. However often it is applied, it has one effect. Any other receipt is refused with 409, and so is a request that is no longer kept, 11 days after it came in.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: changeResponse(ReceiptResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.deadReceipt } },
  uses: { table: 'read', platform: 'read', deferredRequests: 'defer' },
  async run({ path: { id } }, { table, platform, deferredRequests, caller }) {
    const isSuperadmin = caller.role === 'SUPERADMIN';
    const [own, ofNobody] = await Promise.all([
      table.readMany<unknown>([receiptKey(id), deadRequestKey(id)]),
      isSuperadmin
        ? platform.readMany<unknown>([unassignedReceiptKey(id), unassignedDeadRequestKey(id)])
        : [undefined, undefined],
    ]);
    const [receipt, request] = own[0] === undefined ? ofNobody : own;
    if (receipt === undefined) {
      throw notFound('Receipt');
    }
    const data = receipt.data as WebhookReceipt;
    const { bytes } = request?.attributes ?? {};
    if (data.status !== 'dead') {
      throw new Failure(
        'CONFLICT',
        `Only a receipt that is dead can be applied again. This one is ${data.status}.`,
      );
    }
    if (!(bytes instanceof Uint8Array)) {
      throw new Failure('CONFLICT', 'The request of this receipt is no longer kept.');
    }
    await deferredRequests.send(Buffer.from(bytes).toString('base64'), { group: caller.organizationId });
    const kept: WebhookReceipt = { ...data, status: 'kept', reason: 'deferred' };
    return ok({ message: 'The request is applied again within seconds', data: kept });
  },
});
