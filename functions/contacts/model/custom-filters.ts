import { Failure } from '../../../shared/kernel/failure.ts';
import type { BoardQuery } from './board-query.ts';
import type { Predicate } from './filters.ts';

type Filters = NonNullable<BoardQuery['customFilters']>;
type Test = (value: unknown) => boolean;

/** The size of all expressions in a query together: even in linear time, each instruction meets each character. */
const sizeLimit = 10_000;

/** What one custom field must be. */
export interface CustomFieldTest {
  readonly key: string;
  /** Whether the value of the field is right; a contact without the field never is. */
  matches(value: unknown): boolean;
}

/**
 * Every key must match, for an array any item of it. A field that is a list matches with any of its items. An empty array filters
 * nothing, as everywhere on the board.
 * @throws a 400 `Failure` that names the key of an expression that does not compile or is too large.
 */
export async function customFieldTests(filters: Filters = {}): Promise<CustomFieldTest[]> {
  const keyed: CustomFieldTest[] = [];
  let size = 0;
  for (const [key, wanted] of Object.entries(filters)) {
    const tests: Test[] = [];
    for (const one of [wanted].flat()) {
      if (typeof one !== 'string') {
        tests.push((value) => value === one);
        continue;
      }
      const expression = await compiled(key, one);
      size += expression.size;
      if (size > sizeLimit) {
        throw new Failure(
          'INVALID',
          `customFilters.${key} is too large: use fewer repetitions, or fewer and shorter expressions`,
        );
      }
      tests.push((value) => isText(value) && expression.test(String(value)));
    }
    if (tests.length > 0) {
      keyed.push({ key, matches: (value) => [value].flat().some((one) => tests.some((test) => test(one))) });
    }
  }
  return keyed;
}

/** All tests of a contact. */
export const customFieldsPredicate =
  (tests: readonly CustomFieldTest[]): Predicate =>
  ({ customFields }) =>
    tests.every(({ key, matches }) => Object.hasOwn(customFields, key) && matches(customFields[key]));

interface Expression {
  /** Instructions of the engine: about one for each character, but repetitions count in full. */
  readonly size: number;
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
}

/**
 * A case-insensitive regular expression in RE2 syntax. It runs in time linear to its size and the text, so none can stall the
 * function. The engine is loaded on first use, because its tables are half as large as everything else that a board needs.
 */
async function compiled(key: string, expression: string): Promise<Expression> {
  const { RE2JS } = await import('re2js');
  try {
    const pattern = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
    return { size: pattern.programSize(), test: (text) => pattern.test(text) };
  } catch {
    throw new Failure('INVALID', `customFilters.${key} must be a regular expression in RE2 syntax`);
  }
}

/** Values that an expression can match: numbers and booleans as they are written. */
function isText(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
