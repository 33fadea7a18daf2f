/**
 * Replaces what stands between the lines `<!-- name: begin -->` and `<!-- name: end -->`, where a command writes its results.
 * @throws an `Error` unless the text has both lines once, in this order.
 */
export function withSection(name: string, text: string, section: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest, ...more] = text.split(begin);
  const [, after, ...others] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0) {
    throw new Error(`The file must have the lines ${begin} and ${end} once each, in this order.`);
  }
  return `${before}${begin}\n\n${section.trim()}\n\n${end}${after}`;
}
