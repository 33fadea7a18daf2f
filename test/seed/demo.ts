import { afterAll, beforeAll, expect } from 'vitest';
import { seed } from '../../infra/seed/seed.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { preparedDemo } from './prepared-demo.ts';
import { type Row, readRows } from './table.ts';

const password = 'switchboard-demo';

/** The demo data as those find it who log in with it. */
export interface Demo {
  readonly product: Product;
  /** When it was written. */
  readonly now: Date;
  logIn(email: string): Promise<DemoSession>;
  /** Every row of the table. */
  rows(): Promise<Row[]>;
}

export interface DemoSession {
  readonly token: string;
  readonly user: { readonly id: string; readonly accessRole: string; readonly organizationId: string };
}

/** For the tests of one file: the product with the demo data in it. */
export async function demoTests(): Promise<Demo> {
  const prepared = await preparedDemo();
  const { now } = prepared;
  let started: { product: Product; endpoint: string } | undefined;
  const running = () => {
    if (started === undefined) {
      throw new Error('The product runs while tests do.');
    }
    return started;
  };
  beforeAll(async () => {
    const product = await startProduct();
    const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
    started = { product, endpoint };
    await seed({ dynamodbEndpoint: endpoint, tableName: product.tableName, demo: true, password, prepared });
  });
  afterAll(() => started?.product.stop());
  return {
    now,
    get product() {
      return running().product;
    },
    async logIn(email) {
      const { status, body } = await running().product.call('login', { body: { email, password } });
      expect(status).toBe(200);
      return body as DemoSession;
    },
    rows: () => readRows(running().endpoint, running().product.tableName),
  };
}
