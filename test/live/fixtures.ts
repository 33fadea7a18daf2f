import { afterAll } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { type LiveHost, startLiveHost } from './live-host.ts';
import { liveProduct } from './live-product.ts';

/** A host, and how many test files of this process use it. */
interface Shared {
  readonly host: Promise<LiveHost>;
  users: number;
  ending?: NodeJS.Timeout;
}

let shared: Shared | undefined;

/** Milliseconds that a host waits for the next file that uses it: starting a host and its functions takes longer than most files. */
const waiting = 5_000;

/**
 * The product on the local host, until the tests of the calling file have ended. Other files of the process use the same host before and
 * after: each has organizations of its own. Tests of what all organizations share, such as schedules, use `startLiveHost`.
 */
export async function setUpLiveHost(): Promise<LiveHost> {
  shared ??= { host: startLiveHost(), users: 0 };
  const own = shared;
  clearTimeout(own.ending);
  own.users += 1;
  afterAll(() => {
    own.users -= 1;
    if (own.users === 0) {
      own.ending = setTimeout(() => void end(own), waiting);
    }
  });
  return own.host;
}

async function end(own: Shared): Promise<void> {
  shared = undefined;
  await (await own.host).stop();
}

/** The product with its sockets and stream consumers in this process, until the tests of the calling file have ended. */
export async function setUpLiveProduct() {
  return liveProduct(await setUpProduct());
}
