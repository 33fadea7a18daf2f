import ipaddr from 'ipaddr.js';

/**
 * The ranges that IANA's special-purpose registries call globally reachable, beside `unicast`, which has no entry there. The library's
 * `reserved` includes a few anycast addresses, such as 192.0.0.9, that reach a network's own gateways: they are refused, too.
 */
const reachable: ReadonlySet<string> = new Set([
  'unicast',
  'as112',
  'amt',
  'as112v6',
  'orchid2',
  'droneRemoteIdProtocolEntityTags',
]);

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether the address is one of the public internet: globally reachable, no multicast, and not an IPv6 form that carries another IPv4
 * address. Of IPv6, only 2000::/3 is allocated for it; outside of that lie the mapped, compatible and translated forms.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) {
    return false;
  }
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) {
    return reachable.has(address.range());
  }
  if (address.match(translated)) {
    return isPublicAddress(lastFourBytes(address));
  }
  return (
    address.match(globalUnicast) &&
    reachable.has(address.range()) &&
    !(isIsatap(address) && !isPublicAddress(lastFourBytes(address)))
  );
}

/** Whether the address is 127.0.0.0/8 or ::1 itself, and no other form of it. */
export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.parse(text).range() === 'loopback';
}

/** Whether the address reaches the IPv4 address in its last bytes through a tunnel (ISATAP, RFC 5214). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

function lastFourBytes(address: ipaddr.IPv6): string {
  return new ipaddr.IPv4(address.toByteArray().slice(12)).toString();
}
