import { Failure } from '../../../../shared/kernel/failure.ts';
import { withoutByteOrderMark } from '../../../../shared/kernel/json.ts';
import type { SentRequest } from '../../../../shared/kernel/request.ts';
import type { ShownHeader } from './workflow.ts';
import { workflowLimits } from './workflow-schemas.ts';

/**
 * The document of a workflow is a JSON object of its graph, its viewport and all further properties, kept exactly as written: any
 * depth, number or key. Source: decisions 5.
 */

/** The members of a new document that the request leaves out. Source: specification, "Workflow". */
const blank: Members = new Map([
  ['nodes', '[]'],
  ['edges', '[]'],
  ['viewport', '{"x":0,"y":0,"zoom":1}'],
]);

/** The properties in the header, some set only by the service. The document leaves them out. */
const apart: Readonly<Record<keyof ShownHeader, true>> = {
  _id: true,
  organizationId: true,
  userId: true,
  name: true,
  description: true,
  enabled: true,
  createdAt: true,
  updatedAt: true,
};

/** Bytes that a document may have: those of a body, and room for the members that a new document adds. */
const documentLimit = workflowLimits.bodyBytes + 1024;

/** The document's members in a request. @throws a 400 `Failure` when an object has a key twice. */
export function sentMembers({ text }: SentRequest): Members {
  const json = withoutByteOrderMark(text);
  if (hasKeyTwice(json)) {
    throw new Failure('INVALID', 'body must not have the same key twice in one object');
  }
  const isSent = ([key, value]: [string, string]) => !Object.hasOwn(apart, key) && !isBlank(key, value);
  return new Map([...jsonMembers(json)].filter(isSent));
}

/** Null counts as absent for the graph's own members; an extra property may be null. */
function isBlank(key: string, value: string): boolean {
  return blank.has(key) && value === 'null';
}

/** The document of a new workflow: the sent members, and empty ones where the graph has none. */
export function newDocument(sent: Members): string {
  return jsonObject(new Map([...blank, ...sent]));
}

/**
 * The document with the sent members replacing its own, and the keys of the members that differ.
 * @throws a 400 `Failure` when it becomes too large.
 */
export function mergeDocument(document: string, sent: Members): { document: string; changed: string[] } {
  const before = sent.size === 0 ? sent : jsonMembers(document);
  const changed = [...sent].filter(([key, value]) => before.get(key) !== value).map(([key]) => key);
  if (changed.length === 0) {
    return { document, changed };
  }
  const merged = jsonObject(new Map([...before, ...sent]));
  if (Buffer.byteLength(merged) > documentLimit) {
    throw new Failure('INVALID', 'The workflow would be larger than 4 MB. Remove something from it.');
  }
  return { document: merged, changed };
}

/**
 * The members of a JSON object by key, each value as it was written. Parsing and writing a value again would change the spelling
 * of numbers (1.0, 1e2, -0, 12345678901234567890) and move whole-number keys to the front. `JSON.rawJSON` would keep the numbers,
 * but neither the order of those keys nor blanks, and takes thirty times as long.
 */
export type Members = ReadonlyMap<string, string>;

/**
 * The members of a valid JSON object, or of an empty text. For a key that appears twice the last one counts, as in `JSON.parse`.
 */
export function jsonMembers(json: string): Members {
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

/** The JSON object with these members, each as it was written. The reverse of `jsonMembers`. */
export function jsonObject(members: Members): string {
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
