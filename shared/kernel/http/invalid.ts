import * as z from 'zod/mini';
import { Failure } from '../failure.ts';
import { listed } from './listed.ts';

/** Problems listed in one response; nobody would read more. */
const problemsNamed = 5;

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
};

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item', object: 'key' };

/** `1 item`, `2 items`, or the number alone. */
function amount(count: number | bigint, origin: string): string {
  const unit = units[origin];
  return unit ? `${count} ${unit}${count === 1 ? '' : 's'}` : `${count}`;
}

/** Says what is wrong with a value, in fixed English that never repeats the value itself. */
function problem(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? isMissing : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return `must ${units[issue.origin] ? 'have' : 'be'} at most ${amount(issue.maximum, issue.origin)}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : `must ${units[issue.origin] ? 'have' : 'be'} at least ${amount(issue.minimum, issue.origin)}`;
    case 'invalid_value':
      return issue.input === undefined ? isMissing : `must be ${choice(issue.values.map(String))}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `takes only ${listed(keysOf(issue.inst))}`;
    case 'invalid_union':
      return issue.input === undefined ? isMissing : 'matches none of the allowed types';
    default:
      return 'is not valid';
  }
}

const isMissing = 'is required';

/** `a`, `a or b`, or `one of a, b, c`. */
function choice(values: readonly string[]): string {
  return values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ');
}

/** The keys that an object may have. */
function keysOf(schema: unknown): string[] {
  return Object.keys((schema as z.ZodMiniObject)._zod.def.shape);
}

z.config({ customError: problem });

/** `phoneNumbers[0].value` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The part of the value at the path; undefined if it ends before that. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, part) => (within as Record<PropertyKey, unknown> | null)?.[part],
    value,
  );
}

/**
 * The first problem of each path, as many as a response names: checks also run over a value of the wrong type, and what they say then is
 * beside the point. That a whole number is too large to be exact is reported only if nothing else is wrong with it.
 */
function firstOfEach(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const first = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const at = issue.path.length === 0 ? issue.message : JSON.stringify(issue.path);
    const known = first.get(at);
    if (known === undefined || isInexact(known)) {
      first.set(at, issue);
    }
    if (first.size > problemsNamed) {
      break;
    }
  }
  return [...first.values()].slice(0, problemsNamed);
}

function isInexact(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER;
}

/**
 * The value as its schema parses it.
 * @throws a 400 `Failure` that names the path of each invalid field.
 */
export function parsed<S extends z.ZodMiniType>(schema: S, value: unknown, whole: string): z.output<S> {
  const result = z.safeParse(schema, value);
  if (result.success) {
    return result.data;
  }
  const texts = firstOfEach(result.error.issues).map(
    (issue) => `${pathText(issue.path) || whole} ${textOf(issue, value)}`,
  );
  throw new Failure('INVALID', texts.join('; '));
}

/** The text of a problem. A schema with its own error text would also use that for a missing value. */
function textOf({ code, path, message }: z.core.$ZodIssue, value: unknown): string {
  const isOfType = code === 'invalid_type' || code === 'invalid_union';
  return isOfType && path.length > 0 && valueAt(value, path) === undefined ? isMissing : message;
}
