import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The address of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Ports that no browser connects to, whatever a page requests and by whatever name: they belong to protocols that could mistake an HTTP
 * request for one of their own. Node.js's `fetch` refuses them, too; its `http` does not. Source: Fetch Standard, "Port blocking"; of
 * these, the ports that browsers have refused longest and that need no administrator rights.
 */
export const blockedPorts: readonly number[] = [2049, 3659, 4045, 6000, 6665, 6666, 6667, 6668, 6669];

/** A free loopback address that no web page can reach. On Linux it is random: there are 16 million loopback addresses. */
export async function openBlockedAddress(): Promise<Address> {
  const first = randomInt(blockedPorts.length);
  for (const index of blockedPorts.keys()) {
    const port = blockedPorts[(first + index) % blockedPorts.length] ?? 0;
    const address = { host: process.platform === 'linux' ? randomLoopback() : '127.0.0.1', port };
    if (await isFree(address)) {
      return address;
    }
  }
  throw new Error(
    `The database needs one of the ports ${blockedPorts.join(', ')} of 127.0.0.1, and other programs use them all.`,
  );
}

function randomLoopback(): string {
  return ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}

async function isFree({ host, port }: Address): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
