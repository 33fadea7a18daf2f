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
