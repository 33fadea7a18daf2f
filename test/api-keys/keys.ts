import { readKeyClaims } from '../../functions/auth/model/key-claims.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import type { Json } from '../harness/json.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

/** A new API key by an administrator, for everything unless stated: its response. */
export async function newApiKey(
  product: Product,
  { token }: Pick<Person, 'token'>,
  fields: Record<string, unknown> = {},
): Promise<Json> {
  const body = { name: 'Program', access: 'write', ...fields };
  return expectStatus(await product.call('create-api-key', { token, body }), 201);
}

/** What the authorizer says of a key, which the gateway remembers for a while. */
export function readRemembered(product: Product, token: string) {
  const uses = { identity: 'read', organizations: 'read', keyUses: 'note' } as const;
  const ports = newInvocation(systemRuntime, product.authorizerProviders).ports(uses);
  return readKeyClaims(token, ports as unknown as Parameters<typeof readKeyClaims>[1], new Date());
}
