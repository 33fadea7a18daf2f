import { afterAll } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { type LiveHost, startLiveHost } from './live-host.ts';
import { liveProduct } from './live-product.ts';

/** The product on the local host, until the tests of the calling file have ended. */
export async function setUpLiveHost(): Promise<LiveHost> {
  const host = await startLiveHost();
  afterAll(() => host.stop());
  return host;
}

/** The product with its sockets and stream consumers in this process, until the tests of the calling file have ended. */
export async function setUpLiveProduct() {
  return liveProduct(await setUpProduct());
}
