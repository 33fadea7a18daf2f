import { newConversation } from '../conversations/client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => ({ path: { id: (await newConversation(tenants)).conversationId } }),
});
