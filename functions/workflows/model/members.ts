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

/** Whether any object in the JSON has a key twice: only the last of its values was ever validated. */
export function hasKeyTwice(json: string): boolean {
  return json.trim() !== '' && keysWritten(json) !== keysOf(JSON.parse(json));
}

function keysWritten(json: string): number {
  let keys = 0;
  let end = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', end)) {
    end = endOfString(json, at);
    keys += json[afterBlanks(json, end)] === ':' ? 1 : 0;
  }
  return keys;
}

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) {
    return 0;
  }
  const values: unknown[] = Object.values(value);
  return values.reduce<number>((keys, one) => keys + keysOf(one), Array.isArray(value) ? 0 : values.length);
}

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
