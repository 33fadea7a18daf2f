import { sourceNetwork } from '../../../shared/kernel/http/source-address.ts';
import { minute } from '../../../shared/kernel/time.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import { windowPolicy } from './login-policy.ts';
import { countAttempt } from './throttle.ts';

/**
 * Counts a registration without a bearer token from this address. `limit` is of 5 minutes; null counts nothing.
 * @throws a 429 `Failure` beyond the limit.
 */
export async function countRegistration(
  identity: TableWriter<'identity'>,
  sourceIp: string,
  limit: number | null,
  now: Date,
): Promise<void> {
  if (limit === null) {
    return;
  }
  const key = throttleKey('REGISTRATION', sourceNetwork(sourceIp));
  const policy = windowPolicy(
    limit,
    5 * minute,
    'Too many registrations from your address. Try again later.',
  );
  await countAttempt(identity, { key, policy, failures: undefined }, now);
}
