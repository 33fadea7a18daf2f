import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** A network between clients and a host that breaks connections. */
export interface BreakingNetwork {
  /** The address of the host through this network. */
  readonly url: string;
  /** Loses so many of the next responses: the host has done what was asked, and the connection ends without a word. */
  loseResponses(count: number): void;
  /** Breaks every connection that is open. */
  breakAll(): void;
}

/** Opens such a network to a host, until the tests of the calling file have ended. */
export async function setUpBreakingNetwork(hostUrl: string): Promise<BreakingNetwork> {
  const { hostname, port } = new URL(hostUrl);
  const open = new Set<Socket>();
  let losing = 0;
  const server = createServer((client) => {
    const host = connect(Number(port), hostname);
    for (const socket of [client, host]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        host.destroy();
      });
    }
    client.pipe(host);
    host.on('data', (bytes) => {
      if (losing > 0) {
        losing -= 1;
        client.destroy();
      } else {
        client.write(bytes);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of open) {
      socket.destroy();
    }
  };
  afterAll(async () => {
    const closed = once(server, 'close');
    server.close();
    breakAll();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseResponses(count) {
      losing = count;
    },
    breakAll,
  };
}
