import { newCall } from '../calls/client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ product, rep }) => ({
    path: { callId: (await newCall(product, rep))._id },
    body: { status: 'completed' },
  }),
});
