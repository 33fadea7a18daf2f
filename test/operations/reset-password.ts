import { issueReset } from '../../functions/auth/model/password-reset.ts';
import { identityTable, readUser } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  fieldStatuses: { token: 400 },
  request: async ({ product }) => {
    const user = await readUser(product, await product.newOrganization());
    if (user === undefined) {
      throw new Error('Nobody has registered');
    }
    return { body: { token: await issueReset(identityTable(product), user, new Date()), password } };
  },
});
