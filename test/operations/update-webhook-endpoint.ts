import { accessCase, inTurn } from '../harness/tenants.ts';
import { endpointFor } from '../webhook-endpoints/endpoints.ts';

const description = inTurn('Leads', 'All leads');

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({
    path: { id: (await endpointFor(product, admin)).id },
    body: { description: description() },
  }),
});
