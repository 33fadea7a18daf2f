import { caseFolded } from '../../../shared/folded.ts';
import type { BoardQuery } from './board-query.ts';
import { compilingCost, maxCompilingCost } from './compiling-cost.ts';
import { compiled, type Expression, largestExpressions, MatchingCost, tooLarge } from './expression.ts';
import type { Predicate } from './filters.ts';
import { withFoldedLetters } from './folded-expression.ts';

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
    const expressions: (readonly Expression[])[] = [];
    for (const one of [wanted].flat()) {
      if (typeof one !== 'string') {
        equals.add(one);
        continue;
      }
      const both: Expression[] = [];
      for (const writing of new Set([one, withFoldedLetters(one)])) {
        compiling += compilingCost(writing);
        if (compiling > maxCompilingCost) {
          throw tooLarge(key);
        }
        const expression = await compiled(key, writing);
        both.push(expression);
        size += expression.size;
        if (size > largestExpressions) {
          throw tooLarge(key);
        }
      }
      expressions.push(both);
    }
    const isRight = (item: unknown) =>
      equals.has(item) || (isText(item) && expressions.some((both) => isMatch(both, String(item), cost)));
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

/**
 * Whether an expression matches a text as it is, or as it is folded: `STRASSE` finds `Straße`, and `straße` finds `STRASSE`.
 * @param both the expression, and the same with folded letters where it has any that change.
 */
function isMatch([asSent, folded]: readonly Expression[], text: string, cost: MatchingCost): boolean {
  if (asSent?.test(text, cost)) {
    return true;
  }
  const foldedText = caseFolded(text);
  return folded === undefined
    ? foldedText !== text.toLowerCase() && asSent?.test(foldedText, cost) === true
    : folded.test(foldedText, cost);
}

/** All tests of a contact. */
export const customFieldsPredicate =
  (tests: readonly CustomFieldTest[]): Predicate =>
  ({ customFields }) =>
    tests.every(({ key, matches }) => Object.hasOwn(customFields, key) && matches(customFields[key]));

/** Values that an expression can match: numbers and booleans as they are written. */
function isText(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
