import { accessCase } from '../harness/tenants.ts';
import { reportedMessage } from '../messages/reported-message.ts';

export default accessCase({
  subject: 'self',
  request: async (tenants) => {
    const { sid } = await reportedMessage(tenants, { MessageStatus: 'sent' });
    return { path: { provider: 'smsprovider' }, body: { MessageSid: sid, MessageStatus: 'delivered' } };
  },
  fieldStatuses: { MessageSid: 400, MessageStatus: 400 },
});
