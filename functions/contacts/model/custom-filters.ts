import { decimalText, digitsIn, type ExactNumber, isNumber } from '../../../shared/kernel/exact-numbers.ts';
import { caseFolded, isFoldedByLowerCase } from '../../../shared/kernel/names/folded.ts';
import type { BoardQuery } from './board-query.ts';
import { compilingCost, maxCompilingCost } from './compiling-cost.ts';
import {
  compiled,
  type Expression,
  largestExpressions,
  longestSubject,
  MatchingCost,
  tooLarge,
} from './expression.ts';
import type { Predicate } from './filters.ts';
import { withFoldedLetters } from './folded-expression.ts';

/** Units for each character of a text that lower case alone does not fold. */
const costOfFolding = 5;

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
  const expression = async (key: string, text: string) => {
    compiling += compilingCost(text);
    if (compiling > maxCompilingCost) {
      throw tooLarge(key);
    }
    const one = await compiled(key, text);
    size += one.size;
    if (size > largestExpressions) {
      throw tooLarge(key);
    }
    return one;
  };
  for (const [key, wanted] of Object.entries(filters)) {
    const equals = new Set<unknown>();
    const expressions: Writings[] = [];
    for (const one of [wanted].flat()) {
      if (typeof one !== 'string') {
        equals.add(isNumber(one) ? decimalOf(one) : one);
        continue;
      }
      const folded = withFoldedLetters(one);
      expressions.push([
        await expression(key, one),
        folded === one ? undefined : await expression(key, folded),
      ]);
    }
    const isRight = (item: unknown) =>
      (typeof item !== 'string' && equals.has(isNumber(item) ? decimalOf(item) : item)) ||
      (expressions.length > 0 &&
        isText(item) &&
        isMatch(expressions, textOf(item).slice(0, longestSubject), key, cost));
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

/** An expression, and the same with folded letters if it has any that change. */
type Writings = readonly [asSent: Expression, folded: Expression | undefined];

/** Whether one of the expressions matches a text as it is, or as it is folded: `STRASSE` finds `Straße`, and `straße` finds `STRASSE`. */
function isMatch(expressions: readonly Writings[], text: string, key: string, cost: MatchingCost): boolean {
  if (expressions.some(([asSent]) => asSent.test(text, cost))) {
    return true;
  }
  // The engine itself sees no difference between a letter and its lower case.
  const isSimple = isFoldedByLowerCase(text);
  cost.add(key, isSimple ? 0 : costOfFolding * text.length);
  const foldedText = caseFolded(text);
  return expressions.some(([asSent, folded]) =>
    folded === undefined ? !isSimple && asSent.test(foldedText, cost) : folded.test(foldedText, cost),
  );
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
