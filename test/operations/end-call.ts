import { newCall } from '../calls/client.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ product, rep }) => ({
    path: { callId: (await newCall(product, rep))._id },
    body: { status: 'completed' },
  }),
});
