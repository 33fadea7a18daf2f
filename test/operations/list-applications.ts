import { newApplication } from '../applications/client.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async (world) => ({ query: { contactId: (await newApplication(world)).contactId } }),
});
