import { row } from '../harness/world.ts';
import { failedMessage } from '../messages/failed-message.ts';

export default row({
  about: 'record',
  request: async (world) => ({ path: { id: (await failedMessage(world)).messageId } }),
});
