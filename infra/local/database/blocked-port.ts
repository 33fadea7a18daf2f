import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Ports to which no browser connects, whatever a page asks for and whatever name it has for this machine: they belong to protocols
 * that could take a request of HTTP for their own. Node.js's `fetch` refuses them, too; its `http` does not.
 * Source: Fetch Standard, "Port blocking"; those that browsers have refused longest and that need no rights of an administrator.
 */
export const blockedPorts: readonly number[] = [2049, 3659, 4045, 6000, 6665, 6666, 6667, 6668, 6669];

/** A free address of this machine alone that no page can reach. On Linux, where there are 16 million of them, any. */
export async function blockedAddress(): Promise<Address> {
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
