import { accessCase } from '../harness/tenants.ts';
import { segmentsClient } from '../segments/client.ts';

const name = 'To try';

export default accessCase({
  subject: 'organization',
  async request({ product, admin }) {
    const segments = segmentsClient(product, admin);
    // Those made for this before: an organization has at most 200.
    for (const segment of await segments.listed()) {
      if (segment.name === name) {
        await segments.remove(segment._id);
      }
    }
    return { body: { name, filter: { source: 'Referral' }, isShared: true } };
  },
});
