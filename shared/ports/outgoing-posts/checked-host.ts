import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { RefusedUrl } from '../../kernel/providers/outgoing-posts.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** Where may be posted: `https` or also `http` addresses of the public internet, or on a developer's machine also its own. */
export const postPolicies = ['https', 'http', 'local'] as const;

export type PostPolicy = (typeof postPolicies)[number];

/** Finds all addresses of a name; none for a name that does not exist. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface CheckedHost {
  readonly url: URL;
  /** At least one, all of which may be connected to. */
  readonly addresses: readonly string[];
}

/** What the URL itself must be, whatever its host: undefined if it is so. */
export function urlProblem(text: string, policy: PostPolicy): string | undefined {
  if (!URL.canParse(text)) {
    return 'The URL cannot be read: use one like https://example.com/hooks';
  }
  const { protocol, username, password, port } = new URL(text);
  const isPlain = protocol === 'http:' && policy !== 'https';
  if (protocol !== 'https:' && !isPlain) {
    return `The URL must begin with ${policy === 'https' ? 'https://' : 'https:// or http://'}`;
  }
  if (username !== '' || password !== '') {
    return 'The URL must not have a user name or a password: use a header or the signature instead';
  }
  if (port !== '' && Number(port) <= 1023) {
    return `The port must be ${isPlain ? 80 : 443} or above 1023`;
  }
  return undefined;
}

/**
 * The URL with all addresses of its host, if every one of them may be posted to; otherwise why not. A name with a single refused address
 * is refused as a whole: which of its addresses a connection uses would be chance.
 */
export async function findCheckedHost(
  text: string,
  policy: PostPolicy,
  resolve: ResolveName,
  signal: AbortSignal,
): Promise<CheckedHost | RefusedUrl> {
  const problem = urlProblem(text, policy);
  if (problem !== undefined) {
    return { reason: 'refused_address', message: problem };
  }
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolveHost(host, resolve, signal);
  if (addresses.length === 0) {
    return { reason: 'unresolved', message: `The name ${host} does not resolve to an address now` };
  }
  const isAllowed =
    addresses.every(isPublicAddress) || (policy === 'local' && addresses.every(isLoopbackAddress));
  return isAllowed
    ? { url, addresses }
    : {
        reason: 'refused_address',
        message: `The host ${host} is not, or not only, on the public internet: nothing is sent to private, reserved and multicast addresses`,
      };
}

function resolveHost(host: string, resolve: ResolveName, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) {
    return Promise.resolve([host]);
  }
  // These names are the machine itself (RFC 6761), but a DNS server need not know them.
  return /(^|\.)localhost\.?$/.test(host) ? Promise.resolve(['127.0.0.1', '::1']) : resolve(host, signal);
}

/**
 * Asks the DNS servers. The system's own resolver would occupy one of the process's four threads for as long as a server is silent,
 * and so delay the posts to all other hosts.
 */
export async function resolveByDns(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Asks the system's resolver, which knows the names in a developer's own file of hosts. */
export async function resolveBySystem(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
