import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString, atMost } from '../../shared/kernel/schemas/fields.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import { admits } from '../../shared/organizations/session.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { repeatable } from './model/repeatable-response.ts';
import { SessionResponse, signSessionResponse } from './model/session-response.ts';
import { nextPosition, refreshRefused, rotate, superseded } from './model/sessions.ts';
import { shareOfStrangers } from './model/shares.ts';

/** Characters that an idempotency key may have. */
const keyLimit = 255;

export default operation({
  route: 'POST /api/auth/refresh',
  summary: 'Renew a session',
  description:
    'Consumes the refresh token and returns new tokens, with the role that the user has now. When several requests send the same token at once, one gets the new tokens; the others get 401 with `reason` `superseded`, and so does a request that sends the previous token within 10 seconds of its use: wait for the request that won, and use its tokens. If the response to a refresh may have been lost, send it again with the same `Idempotency-Key` as before. Any other use of a consumed token ends the session and closes its connections for live events. The token in the example is a placeholder: send the `refreshToken` that your login returned.',
  family: 'auth',
  minimumRole: 'anyone',
  takesHeaders: {
    'Idempotency-Key': {
      schema: z.string().check(atMost(keyLimit), z.meta({ maxLength: keyLimit })),
      description:
        'A string of your choice for this refresh, such as a UUID. A request with the same refresh token and the same key within 10 seconds gets the same response again, as long as the session lasts: send one with every refresh whose response may be lost.',
    },
  },
  body: z.object({ refreshToken: anyString }),
  descriptions: { refreshToken: 'The latest refresh token of the session.' },
  output: SessionResponse,
  failures: ['TOKEN_EXPIRED'],
  detailedFailures: [
    {
      example: superseded(),
      details: {
        reason: {
          description:
            '`superseded`: another request of the session has just received new tokens; use those. Absent for every other cause.',
          enum: ['superseded'],
        },
      },
    },
  ],
  example: {
    body: {
      refreshToken:
        '01JD0000000000000000000000.1.01JD0000000000000000000001.01JD0000000000000000000002.Zm9yIGV4YW1wbGUgb25seSwgbm8gcmVhbCB0b2tlbiE',
    },
  },
  share: shareOfStrangers,
  uses: { identity: 'write', organizations: 'write', tokens: 'sign' },
  async run({ body, headers }, { identity, organizations, tokens, now, newId }) {
    const sent = await tokens.readRefreshToken(body.refreshToken, now);
    if (sent === undefined) {
      throw refreshRefused();
    }
    const account = organizations(sent.organizationId);
    const [stored, organization] = await Promise.all([
      account.read(userKey(sent.userId)),
      account.read(organizationKey()),
    ]);
    const user = stored?.data;
    if (!admits(user, sent.familyId) || organization === undefined) {
      throw refreshRefused();
    }
    const exchanged = { user, organization: organization.data, position: nextPosition(sent) };
    const response = await signSessionResponse(tokens, exchanged, now);
    // Last: after an earlier error the token still works, so that the client can retry.
    const key = headers['idempotency-key'] ?? '';
    return rotate(
      { identity, table: account },
      sent,
      key === '' ? { response } : repeatable(response, body.refreshToken, key),
      { eventId: newId(), now },
    );
  },
});
