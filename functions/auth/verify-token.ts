import * as z from 'zod/mini';
import { bearerToken } from '../../shared/kernel/auth/tokens.ts';
import { Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /api/auth/verify-token',
  summary: 'Check an access token',
  description:
    'Send the token as "Authorization: Bearer <token>". Any token that is not valid gets the same 401.',
  family: 'auth',
  minimumRole: 'anyone',
  // Only the token decides the response: 200, or the one 401.
  query: z.looseObject({}),
  descriptions: {},
  output: described(z.object({ message: anyString }), { message: 'That the token is valid.' }),
  refusal: () => ({ error: 'Invalid or expired token' }),
  uses: { tokens: 'verify' },
  async run({ headers }, { tokens, now }) {
    const claims = await tokens.access(bearerToken(headers.authorization) ?? '', now);
    if (typeof claims === 'string') {
      throw new Refused(claims);
    }
    return { message: 'Token is valid' };
  },
});
