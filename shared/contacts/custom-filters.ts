import { RE2JS } from 're2js';
import { Failure } from '../kernel/failure.ts';
import type { BoardQuery } from './board-query.ts';
import type { Predicate } from './filters.ts';

type Filters = NonNullable<BoardQuery['customFilters']>;
type Scalar = string | number | boolean;
type Test = (value: unknown) => boolean;

/**
 * Size of all expressions of one query together, in the engine's instructions: about one a character, but repetitions
 * count written out. A linear-time engine takes its time for each instruction and character of the text.
 */
const instructionLimit = 10_000;

/**
 * Every key must match; of an array, any item. A field that is itself a list matches by any of its items. An empty array
 * filters nothing, as everywhere on the board.
 * @throws a 400 `Failure` that names the key of an expression that does not compile or is too large.
 */
export function customFieldsFilter(filters: Filters = {}): Predicate | undefined {
  const compile = compiler();
  const keyed = Object.entries(filters).flatMap(([key, wanted]) => {
    const tests = [wanted].flat().map((one) => testOf(one, (expression) => compile(key, expression)));
    return tests.length === 0 ? [] : [{ key, tests }];
  });
  return keyed.length === 0
    ? undefined
    : ({ customFields }) =>
        keyed.every(
          ({ key, tests }) =>
            Object.hasOwn(customFields, key) &&
            [customFields[key]].flat().some((value) => tests.some((test) => test(value))),
        );
}

function testOf(wanted: Scalar, compile: (expression: string) => RE2JS): Test {
  if (typeof wanted !== 'string') {
    return (value) => value === wanted;
  }
  const regex = compile(wanted);
  return (value) =>
    (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') &&
    regex.test(String(value));
}

/** Compiles the expressions of one query: none of them, nor all together, may be able to stall the function. */
function compiler() {
  let left = instructionLimit;
  return (key: string, expression: string): RE2JS => {
    const regex = compiled(key, expression);
    left -= regex.programSize();
    if (left < 0) {
      throw new Failure(
        'INVALID',
        `customFilters.${key} is too large: repeat less, or use fewer and shorter expressions`,
      );
    }
    return regex;
  };
}

function compiled(key: string, expression: string): RE2JS {
  try {
    return RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
  } catch {
    throw new Failure('INVALID', `customFilters.${key} must be a regular expression in RE2 syntax`);
  }
}
