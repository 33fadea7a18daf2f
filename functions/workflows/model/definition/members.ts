/**
 * The members of a JSON object by key, each value as it was written. Parsing and writing a value again would change the spelling
 * of numbers (1.0, 1e2, -0, 12345678901234567890) and move whole-number keys to the front. `JSON.rawJSON` would keep the numbers,
 * but neither the order of those keys nor blanks, and takes thirty times as long.
 */
export type Members = ReadonlyMap<string, string>;

/**
 * The members of a valid JSON object, or of an empty text. For a key that appears twice the last one counts, as in `JSON.parse`.
 */
export function membersOf(json: string): Members {
  const members = new Map<string, string>();
  let end = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', end)) {
    const keyEnd = endOfString(json, at);
    const key = JSON.parse(json.slice(at, keyEnd)) as string;
    const start = afterBlanks(json, afterBlanks(json, keyEnd) + 1);
    end = endOfValue(json, start);
    members.set(key, json.slice(start, end));
  }
  return members;
}

/** The JSON object with these members, each as it was written. The reverse of `membersOf`. */
export function objectOf(members: Members): string {
  return `{${Array.from(members, ([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

/**
 * Whether any object in a valid JSON text has a key twice: only the last of its values was ever validated. One node may have 150,000 keys,
 * so they are looked up as they are written, which takes a tenth as long as to parse them.
 */
export function hasKeyTwice(json: string): boolean {
  /** The keys of each object that is open; nothing for a list. */
  const open: (Set<string> | undefined)[] = [];
  let at = 0;
  while (at < json.length) {
    let next = at + 1;
    switch (json[at]) {
      case '"': {
        next = endOfString(json, at);
        const keys = json[afterBlanks(json, next)] === ':' ? open.at(-1) : undefined;
        const key = keys && keyIn(json.slice(at, next));
        if (key !== undefined && keys?.has(key)) {
          return true;
        }
        keys?.add(key ?? '');
        break;
      }
      case '{':
        open.push(new Set());
        break;
      case '[':
        open.push(undefined);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      default:
    }
    at = next;
  }
  return false;
}

/** A key without its escapes. */
const keyIn = (written: string): string =>
  written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);

function afterBlanks(json: string, start: number): number {
  let at = start;
  while (json.charCodeAt(at) <= 0x20) {
    at += 1;
  }
  return at;
}

/** The index after the string that begins at `start`: after the first quote that is not escaped. */
function endOfString(json: string, start: number): number {
  let quote = start;
  let backslashes: number;
  do {
    quote = json.indexOf('"', quote + 1);
    backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') {
      backslashes += 1;
    }
  } while (backslashes % 2 === 1);
  return quote + 1;
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at);
        break;
      case '{':
      case '[':
        depth += 1;
        at += 1;
        break;
      case '}':
      case ']':
        depth -= 1;
        at += 1;
        break;
      default:
        at = depth === 0 ? endOfWord(json, at) : at + 1;
    }
  } while (depth > 0);
  return at;
}

/** The end of a number, `true`, `false` or `null`. */
function endOfWord(json: string, start: number): number {
  let at = start;
  while (!', \t\r\n]}'.includes(json.charAt(at))) {
    at += 1;
  }
  return at;
}
