import { bearerToken } from '../../shared/kernel/auth/tokens.ts';
import { authorizerOperation } from '../../shared/kernel/trigger.ts';

export default authorizerOperation({
  summary: 'Verify the bearer token of a request',
  uses: { tokens: 'verify' },
  run: ({ authorization }, { tokens, now }) => tokens.access(bearerToken(authorization) ?? '', now),
});
