import { factorsClient } from '../auth/factors-client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  fieldStatuses: { mfaToken: 401, code: 401 },
  async request({ product }) {
    const person = await product.newOrganization();
    const { own, mfaToken } = factorsClient(product);
    const { recoveryCodes } = await own(person);
    return { body: { mfaToken: await mfaToken(person.email), code: recoveryCodes[0] } };
  },
});
