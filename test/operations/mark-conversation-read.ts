import { newConversation } from '../conversations/client.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async (world) => ({
    path: { id: (await newConversation(world)).conversationId },
    body: {},
  }),
});
