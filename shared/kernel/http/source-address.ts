import { isIPv6 } from 'node:net';

/**
 * The network whose requests are counted together: an IPv4 address itself, but the first 64 bits of an IPv6 address, because a
 * subscriber gets at least that many addresses.
 */
export function sourceNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) {
    return plain;
  }
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  // A dotted tail replaces two groups.
  const width = (part: string) => groups(part).reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const zeros = tail === undefined ? 0 : 8 - width(head) - width(tail);
  const all = [...groups(head), ...Array<string>(zeros).fill('0'), ...groups(tail ?? '')];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::`;
}
