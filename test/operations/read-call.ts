import { callOf } from '../calls/phone.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ product, rep }) => ({ path: { callId: (await callOf(product, rep))._id } }),
});
