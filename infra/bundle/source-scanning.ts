/** A bracketed part of a source, split at its top-level commas. */
export interface Bracketed {
  /** After the closing bracket. */
  readonly end: number;
  /** The ranges of the parts, without the commas. */
  readonly parts: readonly (readonly [from: number, to: number])[];
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The text before a slash that begins a regular expression, and is not a division. */
const beforeRegularExpression = /(?:^|[(,=:[!&|?{};>]|\breturn)\s*$/;

/**
 * The parts in the brackets that open at `open`. It understands strings, templates, comments and regular expressions of formatted
 * TypeScript.
 * @throws for brackets that do not match.
 */
export function bracketed(source: string, open: number): Bracketed {
  const expected = [closing[source[open] ?? ''] ?? ''];
  const parts: [number, number][] = [];
  let from = open + 1;
  let at = open + 1;
  while (at < source.length) {
    const past = pastLiteral(source, at);
    if (past !== undefined) {
      at = past;
      continue;
    }
    const character = source[at] ?? '';
    if (character in closing) {
      expected.push(closing[character] ?? '');
    } else if (character === expected.at(-1)) {
      expected.pop();
      if (expected.length === 0) {
        const isEmpty = source.slice(from, at).trim() === '';
        return { end: at + 1, parts: isEmpty ? parts : [...parts, [from, at]] };
      }
    } else if (character === ',' && expected.length === 1) {
      parts.push([from, at]);
      from = at + 1;
    } else if (')]}'.includes(character)) {
      break;
    }
    at += 1;
  }
  throw new Error(`The brackets at ${open} do not match at ${at}: ${source.slice(open, open + 60)}`);
}

/** The place after a string, template, comment or regular expression that begins here; undefined if none does. */
export function pastLiteral(source: string, at: number): number | undefined {
  const character = source[at];
  if (character === "'" || character === '"') {
    return pastString(source, at, character);
  }
  if (character === '`') {
    return pastTemplate(source, at);
  }
  if (character !== '/') {
    return undefined;
  }
  if (source[at + 1] === '/') {
    return endOr(source, source.indexOf('\n', at));
  }
  if (source[at + 1] === '*') {
    return endOr(source, source.indexOf('*/', at) + 2);
  }
  return beforeRegularExpression.test(source.slice(Math.max(0, at - 40), at))
    ? pastRegularExpression(source, at)
    : undefined;
}

const endOr = (source: string, end: number) => (end < 2 ? source.length : end);

function pastString(source: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < source.length && source[at] !== quote) {
    at += source[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function pastTemplate(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '`') {
    if (source.startsWith('${', at)) {
      at = bracketed(source, at + 1).end;
    } else {
      at += source[at] === '\\' ? 2 : 1;
    }
  }
  return at + 1;
}

function pastRegularExpression(source: string, start: number): number {
  let isInClass = false;
  let at = start + 1;
  while (at < source.length && (isInClass || source[at] !== '/')) {
    if (source[at] === '[') {
      isInClass = true;
    } else if (source[at] === ']') {
      isInClass = false;
    }
    at += source[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}
