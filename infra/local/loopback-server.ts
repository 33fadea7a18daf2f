import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that only this machine can reach. */
export interface LoopbackServer {
  /** For example `http://127.0.0.1:4566`. */
  endpoint: string;
  /** Resolves when every connection is closed and the port is free again. */
  stop(): Promise<void>;
}

/** Lets `server` listen on 127.0.0.1; port 0 takes a free one. Rejects when the port is taken. */
export async function listenOnLoopback(server: Server, port: number): Promise<LoopbackServer> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
