import { bearerToken } from '../../shared/kernel/auth/tokens.ts';
import { authorizerOperation } from '../../shared/kernel/trigger.ts';
import { isApiKey } from '../../shared/organizations/api-key-secret.ts';
import { readKeyClaims } from './model/key-claims.ts';

export default authorizerOperation({
  summary: 'Verify the bearer token or API key of a request',
  uses: { tokens: 'verify', identity: 'read', organizations: 'read', keyUses: 'note' },
  run({ authorization }, { tokens, identity, organizations, keyUses, now }) {
    const token = bearerToken(authorization) ?? '';
    return isApiKey(token)
      ? readKeyClaims(token, { identity, organizations, keyUses }, now)
      : tokens.access(token, now);
  },
});
