import { afterAll } from 'vitest';
import { type LiveHost, startLiveHost } from './live-host.ts';

/** The product on the local host, until the tests of the calling file have ended. */
export async function setUpLiveHost(): Promise<LiveHost> {
  const host = await startLiveHost();
  afterAll(() => host.stop());
  return host;
}
