import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The address that a server listens on, and the name by which clients know it. */
export interface Interface {
  /** An address of this machine, or a name of one; `0.0.0.0` and `::` are all of them. */
  readonly host: string;
  /** The name in the URLs that clients get. */
  readonly publicHost: string;
}

/** Only this machine reaches it. */
export const loopback: Interface = { host: '127.0.0.1', publicHost: '127.0.0.1' };

/** The interface at this address. With `0.0.0.0` or `::`, clients get an address that other machines reach, if there is one. */
export function interfaceAt(host: string, publicHost?: string): Interface {
  return {
    host,
    publicHost: publicHost ?? (host in ownAddresses ? networkAddress() : host),
  };
}

/** The address by which this machine reaches a server that listens on all addresses. */
const ownAddresses: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function networkAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** A server of the host. */
export interface LocalServer {
  /** For example `http://127.0.0.1:4566`. */
  endpoint: string;
  /** Resolves when every connection is closed and the port is free again. */
  stop(): Promise<void>;
}

/** Makes `server` listen; port 0 takes a free one. Rejects with a message for a person when it cannot. */
export async function startServer(server: Server, port: number, on = loopback): Promise<LocalServer> {
  const endpoint = await listen(server, port, on);
  return {
    endpoint,
    async stop() {
      if (!server.listening) {
        return;
      }
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Resolves with the URL for clients. Rejects with a message for a person when the server cannot listen. */
export async function listen(server: Server, port: number, on: Interface): Promise<string> {
  const { host } = on;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(refusals[code ?? '']?.(port, host) ?? `Port ${port} of ${host} cannot be used: ${code}.`);
  }
  return urlOf(server, on.publicHost);
}

/** The URL of a listening server, with a name or an address of this machine. */
function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * The URL by which this machine itself reaches a listening server. It has an address even if the server was given a name: a request to a
 * name is refused, since it may come from a web page whose own name points here.
 */
export function listeningUrl(server: Server): string {
  const { address } = server.address() as AddressInfo;
  return urlOf(server, ownAddresses[address] ?? address);
}

/** Rejects with the same messages when no server could listen there. */
export async function requireFree(port: number, on: Interface): Promise<void> {
  const probe = createServer();
  await listen(probe, port, on);
  probe.close();
  await once(probe, 'close');
}

const refusals: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port) =>
    `Port ${port} is in use by another program: stop it, or choose another port with PORT= or OBJECTS_PORT=.`,
  EACCES: (port) => `Port ${port} needs administrator rights: choose one above 1023.`,
  EADDRNOTAVAIL: (_port, host) => `This machine has no address ${host}: choose another with HOST=.`,
  ENOTFOUND: (_port, host) => `HOST=${host} is not an address: use one of this machine, or 0.0.0.0 for all.`,
};
