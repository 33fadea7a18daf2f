import { timestamp } from '../../shared/kernel/time.ts';
import { deadRequestKey, receiptKey } from '../../shared/messages/webhook-receipt.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  async request({ product, admin }) {
    const { table, moment } = product.tableOf(admin.organizationId);
    const _id = moment.newId();
    const receipt = { provider: 'twilio', kind: 'sms', status: 'dead', reason: 'given_up' } as const;
    await table.commit([
      table.put(receiptKey(_id), { _id, ...receipt, at: timestamp(moment.now) }),
      table.put(deadRequestKey(_id), {}, { bytes: Buffer.from('a request') }),
    ]);
    return { path: { id: _id } };
  },
});
