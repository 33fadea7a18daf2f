import { hour } from '../../shared/kernel/time.ts';
import { accessCase } from '../harness/tenants.ts';
import { endpointFor } from '../webhook-endpoints/endpoints.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({
    path: { id: (await endpointFor(product, admin)).id },
    // Hours are read some at a time, in as many round trips as they happen to take: this hour alone takes one.
    body: { from: new Date(Math.floor(Date.now() / hour) * hour).toISOString(), to: '2099-12-31T00:00:00Z' },
  }),
});
