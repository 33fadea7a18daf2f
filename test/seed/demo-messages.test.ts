import { afterAll, beforeAll, expect, it } from 'vitest';
import { seed } from '../../infra/local/seed/seed.ts';
import type { Message } from '../../shared/conversations/conversation.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { rowsOf } from './table.ts';

let product: Product;
let endpoint: string;
beforeAll(async () => {
  product = await startProduct();
  endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const password = 'switchboard-demo';
  await seed({
    dynamodbEndpoint: endpoint,
    tableName: product.tableName,
    demo: true,
    password,
    now: new Date(),
  });
});
afterAll(() => product?.stop());

it('Messages of the demo data have a status that the product gives them: received, or sent', async () => {
  const rows = await rowsOf(endpoint, product.tableName);
  const messages = rows.filter(({ sk }) => sk.startsWith('MESSAGE#')).map(({ data }) => data as Message);
  const statuses = new Set(messages.map(({ direction, status }) => `${direction} ${status}`));
  expect([...statuses].sort()).toEqual(['inbound received', 'outbound sent']);
});
