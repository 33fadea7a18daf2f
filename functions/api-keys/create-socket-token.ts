import * as z from 'zod/mini';
import { Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { after, epochSeconds, hour } from '../../shared/kernel/time.ts';

export default operation({
  route: 'POST /api/socket-token',
  summary: 'Get a socket token',
  description:
    'Opens a WebSocket connection, or extends an open one, as the `socketToken` of a login does. It is valid for 5 minutes, the connection for an hour: get another one before it ends and send it with `authenticate`. By an API key the connection gets the events of the groups of the key alone, and none once the key has been deleted.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    described(z.object({ socketToken: anyString, socketUrl: anyString }), {
      socketToken: 'Opens a WebSocket connection or extends an open one; valid for 5 minutes.',
      socketUrl: 'The address to open with it: `<socketUrl>?token=<socketToken>`.',
    }),
  ),
  uses: { tokens: 'sign', socketUrl: 'read' },
  async run(_, { tokens, socketUrl, caller, now }) {
    const { userId, homeOrganizationId: organizationId, role, sessionId, key, expiresAt = 0 } = caller;
    if (key === undefined && sessionId === undefined) {
      throw new Refused('invalid');
    }
    const trustedUntil = Math.min(expiresAt, epochSeconds(after(now, hour)));
    const claims = {
      ...{ userId, organizationId, role, trustedUntil },
      ...(sessionId !== undefined && { sessionId }),
      ...(key && { key: { id: key.id, digest: key.digest } }),
    };
    return ok({ data: { socketToken: await tokens.socketToken(claims, now), socketUrl } });
  },
});
