import * as z from 'zod/mini';
import { Failure } from './failure.ts';

/** Problems that one response lists; nobody would read more. */
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

const units: Record<string, string> = { string: 'characters', array: 'items', set: 'items', object: 'keys' };

/** What is wrong with a value, in fixed English that never repeats the value itself. */
function problem(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_big': {
      const unit = units[issue.origin];
      return unit ? `must have at most ${issue.maximum} ${unit}` : `must be at most ${issue.maximum}`;
    }
    case 'too_small': {
      const unit = units[issue.origin];
      return unit ? `must have at least ${issue.minimum} ${unit}` : `must be at least ${issue.minimum}`;
    }
    case 'invalid_value':
      return issue.input === undefined
        ? 'is required'
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'must not have properties other than those described';
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'matches none of the allowed types';
    default:
      return 'is not valid';
  }
}

z.config({ customError: problem });

/** `phoneNumbers[0].value` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
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
  const texts = result.error.issues
    .slice(0, problemsNamed)
    .map(({ path, message }) => `${pathText(path) || whole} ${message}`);
  throw new Failure('INVALID', [...new Set(texts)].join('; '));
}
