import type { InvocationScope } from '../kernel/ports.ts';
import { utcDay } from '../kernel/time.ts';
import { apiKeyUseKey } from '../organizations/api-key.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { provideIdentity } from './table.ts';

/** The days on which API keys were last used. It can write nothing else. */
export interface KeyUses {
  /** Notes a use, once a day. A request does not fail because that cannot be noted. */
  note(organizationId: string, apiKeyId: string): Promise<void>;
}

export function provideKeyUses(environment: NodeJS.ProcessEnv, limits?: ClientLimits) {
  const identities = provideIdentity(environment, limits);
  return (scope: InvocationScope): KeyUses => ({
    async note(organizationId, apiKeyId) {
      const identity = identities(scope);
      const key = apiKeyUseKey(organizationId, apiKeyId);
      const usedOn = utcDay(scope.now);
      try {
        const use = await identity.read(key, { consistent: false });
        if (use?.attributes?.usedOn !== usedOn) {
          await identity.update(key, { update: 'SET usedOn = :usedOn', values: { usedOn } });
        }
      } catch {
        // The next use is noted.
      }
    },
  });
}
