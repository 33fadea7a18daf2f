import { row } from '../harness/world.ts';
import { failedMessage } from '../messages/reported-message.ts';

export default row({
  about: 'record',
  request: async (world) => ({ path: { id: (await failedMessage(world)).messageId } }),
});
