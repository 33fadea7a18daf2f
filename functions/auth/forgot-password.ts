import * as z from 'zod/mini';
import { sourceNetwork } from '../../shared/kernel/http/source-address.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { queueMailAction } from '../../shared/organizations/queued-mail.ts';
import { SentEmail } from './model/email.ts';
import { shareOfStrangers } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/password/forgot',
  summary: 'Ask for a link to choose a new password',
  description:
    'Sends an email with a link to the address, if it belongs to a user who is not disabled. The link ends with `token=` and the token for `POST /api/auth/password/reset`; it works once, within one hour, and a newer one replaces it. An account gets at most 5 such emails within an hour, and only the first 20 requests from one address within 5 minutes send any, unless the operator of the service has switched the latter off; further requests send nothing, and the last link keeps working. The response takes the same time and does not depend on the account; a 429 depends on the network alone.',
  family: 'auth',
  minimumRole: 'anyone',
  body: z.object({ email: SentEmail }),
  descriptions: { email: 'The email address the user logs in with.' },
  output: messageResponse(),
  example: { body: { email: 'rep@example.com' } },
  share: shareOfStrangers,
  uses: { identity: 'write' },
  async run({ body: { email }, sourceIp }, { identity, now, newId }) {
    // One write in every case: whether there is an account that may get another email is decided in the background.
    const network = sourceNetwork(sourceIp);
    await identity.commit([
      queueMailAction(identity, { kind: 'forgotten-password', email, network }, newId(), now),
    ]);
    return ok({
      message:
        'If there is an account with this address, an email with a link to choose a new password is on its way.',
    });
  },
});
