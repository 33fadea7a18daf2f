import { issueReset } from '../../functions/auth/model/password-reset.ts';
import { identityOf, userOf } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  fieldStatuses: { token: 400 },
  request: async ({ product }) => {
    const user = await userOf(product, await product.newOrganization());
    if (user === undefined) {
      throw new Error('Nobody has registered');
    }
    return { body: { token: await issueReset(identityOf(product), user, new Date()), password } };
  },
});
