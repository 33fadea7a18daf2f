import { row } from '../harness/world.ts';
import { reportedMessage } from '../messages/reported-message.ts';

export default row({
  about: 'self',
  request: async (world) => {
    const { sid } = await reportedMessage(world, { MessageStatus: 'sent' });
    return { path: { provider: 'smsprovider' }, body: { MessageSid: sid, MessageStatus: 'delivered' } };
  },
  fieldStatuses: { MessageSid: 400, MessageStatus: 400 },
});
