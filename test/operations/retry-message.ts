import { accessCase } from '../harness/tenants.ts';
import { failedMessage } from '../messages/reported-message.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => ({ path: { id: (await failedMessage(tenants)).messageId } }),
});
