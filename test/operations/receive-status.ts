import { row } from '../harness/world.ts';
import { newSid } from '../messages/webhook-client.ts';

export default row({
  about: 'self',
  request: () => ({
    path: { provider: 'smsprovider' },
    body: { MessageSid: newSid(), MessageStatus: 'delivered' },
  }),
  fieldStatuses: { MessageSid: 400, MessageStatus: 400 },
});
