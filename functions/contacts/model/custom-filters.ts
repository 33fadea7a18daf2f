import { decimalText, digitsIn, type ExactNumber, isNumber } from '../../../shared/kernel/exact-numbers.ts';
import type { BoardQuery } from './board-query.ts';
import { compilingCost, maxCompilingCost } from './compiling-cost.ts';
import { compiled, type Expression, largestExpressions, MatchingCost, tooLarge } from './expression.ts';
import type { Predicate } from './filters.ts';

type Filters = NonNullable<BoardQuery['customFilters']>;

/** What one custom field must be. */
export interface CustomFieldTest {
  readonly key: string;
  /** As the request says it. */
  readonly wanted: Filters[string];
  /**
   * Whether the value of the field is right; a contact without the field never is.
   * @throws a 400 `Failure` when the expressions of the request cost too much.
   */
  matches(value: unknown): boolean;
}

/**
 * Every key must match, for an array any item of it. A field that is a list matches with any of its items. The tests of a request
 * share what their expressions may cost.
 * @throws a 400 `Failure` that names the key of an expression that does not compile or is too large.
 */
export async function customFieldTests(filters: Filters = {}): Promise<CustomFieldTest[]> {
  const cost = new MatchingCost();
  const tests: CustomFieldTest[] = [];
  let size = 0;
  let compiling = 0;
  for (const [key, wanted] of Object.entries(filters)) {
    const equals = new Set<unknown>();
    const expressions: Expression[] = [];
    for (const one of [wanted].flat()) {
      if (typeof one !== 'string') {
        equals.add(isNumber(one) ? decimalOf(one) : one);
        continue;
      }
      compiling += compilingCost(one);
      if (compiling > maxCompilingCost) {
        throw tooLarge(key);
      }
      const expression = await compiled(key, one);
      expressions.push(expression);
      size += expression.size;
      if (size > largestExpressions) {
        throw tooLarge(key);
      }
    }
    const isRight = (item: unknown) =>
      (typeof item !== 'string' && equals.has(isNumber(item) ? decimalOf(item) : item)) ||
      (isText(item) && expressions.some((expression) => expression.test(textOf(item), cost)));
    tests.push({
      key,
      wanted,
      matches(value) {
        const items = [value].flat();
        cost.add(key, items.length);
        return items.some(isRight);
      },
    });
  }
  return tests;
}

/** All tests of a contact. */
export const customFieldsPredicate =
  (tests: readonly CustomFieldTest[]): Predicate =>
  ({ customFields }) =>
    tests.every(({ key, matches }) => Object.hasOwn(customFields, key) && matches(customFields[key]));

/** Values that an expression can match: numbers and booleans as they are written. */
function isText(value: unknown): value is string | number | ExactNumber | boolean {
  return typeof value === 'string' || isNumber(value) || typeof value === 'boolean';
}

const textOf = (value: string | number | ExactNumber | boolean) =>
  isNumber(value) ? digitsIn(value) : String(value);

const decimalOf = (number: number | ExactNumber) => decimalText(digitsIn(number));
