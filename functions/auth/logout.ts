import * as z from 'zod/mini';
import { actingAs } from '../../shared/events/outbox.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { endSession } from './model/session-end.ts';
import { shareOfStrangers } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/logout',
  summary: 'Log out',
  description:
    'Ends the session that the refresh token belongs to, and closes its connections for live events. Its socket token no longer opens connections; its access tokens stay valid until they expire. The response is the same for a refresh token that is unknown, expired or missing.',
  family: 'auth',
  minimumRole: 'anyone',
  // Logging out succeeds with any request.
  query: z.looseObject({}),
  body: z.object({ refreshToken: z.catch(z.optional(anyString), undefined) }),
  descriptions: { refreshToken: 'A refresh token of the session to end.' },
  output: messageResponse(),
  example: {
    body: {
      refreshToken:
        '01JD0000000000000000000000.1.01JD0000000000000000000001.01JD0000000000000000000002.Zm9yIGV4YW1wbGUgb25seSwgbm8gcmVhbCB0b2tlbiE',
    },
  },
  share: shareOfStrangers,
  uses: { identity: 'write', organizations: 'write', tokens: 'sign' },
  async run({ body }, { identity, organizations, tokens, now, newId }) {
    const sent = await tokens.readRefreshToken(body.refreshToken ?? '', now);
    if (sent !== undefined) {
      const table = actingAs(organizations(sent.organizationId), { type: 'user', id: sent.userId });
      await endSession({ identity, table }, sent, { eventId: newId(), now });
    }
    return ok({ message: 'Logged out' });
  },
});
