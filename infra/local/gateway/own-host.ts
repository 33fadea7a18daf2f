import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Interface } from '../listening.ts';

/**
 * Whether the host that a request names is this one: a name or an address of this machine with the port of the gateway, or the host of
 * the tunnel that leads here. On AWS, the gateway gets no other requests.
 */
export function namesThisHost(
  { headers, socket }: IncomingMessage,
  { publicHost, tunnelHost }: Interface,
): boolean {
  const address = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
  const own = ['localhost', '127.0.0.1', '::1', address, publicHost].map(
    (name) => `${isIPv6(name) ? `[${name}]` : name}:${socket.localPort}`,
  );
  const named = headers.host?.toLowerCase();
  return named !== undefined && [...own, tunnelHost].some((host) => host?.toLowerCase() === named);
}
