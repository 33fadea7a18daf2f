/** Between these lines of `test/bench/README.md` stands what the last race with `--write` measured. */
const markers = { begin: '<!-- race: begin -->', end: '<!-- race: end -->' };

/** The text with something else between its markers. @throws an `Error` for a text that does not have both once, in order. */
export function withSection(text: string, section: string): string {
  const { begin, end } = markers;
  const [before, rest, ...more] = text.split(begin);
  const [, after, ...others] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0) {
    throw new Error(`The file must have the lines ${begin} and ${end} once each, in this order.`);
  }
  return `${before}${begin}\n\n${section.trim()}\n\n${end}${after}`;
}
