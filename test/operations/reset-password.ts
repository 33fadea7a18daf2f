import { issueReset } from '../../functions/auth/model/password-reset.ts';
import { identityOf } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  fieldStatuses: { token: 400 },
  request: async ({ product }) => {
    const { userId, organizationId } = await product.newOrganization();
    const user = { _id: userId, organizationId };
    return { body: { token: await issueReset(identityOf(product), user, new Date()), password } };
  },
});
