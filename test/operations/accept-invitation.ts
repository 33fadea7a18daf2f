import { randomUUID } from 'node:crypto';
import { invitationKey } from '../../functions/auth/model/invitation.ts';
import { newOneTimeToken } from '../../functions/auth/model/one-time-token.ts';
import { password } from '../harness/product.ts';
import { accessCase, arrange } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  fieldStatuses: { token: 400 },
  request: async ({ product, admin: { token, organizationId } }) => {
    const body = { email: `${randomUUID()}@example.com` };
    const { data } = await arrange(product.call('invite-user', { token, body }));
    // As sending the email does.
    const { text, digest } = newOneTimeToken(organizationId, data._id);
    const { table } = product.tableOf(organizationId);
    const stored = await table.read(invitationKey(data._id));
    await table.commit(stored ? [table.replace(stored, { ...stored.data, tokenDigest: digest })] : []);
    return { body: { token: text, firstName: 'A', lastName: 'B', password } };
  },
});
