import type { FieldTest } from '../column-index/query.ts';
import { decimalText, digitsIn, type ExactNumber, isNumber } from '../kernel/exact-numbers.ts';
import { caseFolded, isFoldedByLowerCase } from '../kernel/names/folded.ts';
import type { BoardQuery } from './board-query.ts';
import { type Expression, Expressions, withFoldedLetters } from './expression.ts';

/** Characters of a value that expressions read: the rest of a longer one is not looked at. */
const longestSubject = 4_096;

type Filters = NonNullable<BoardQuery['customFilters']>;

/** The condition on one custom field. */
export interface CustomFieldTest extends FieldTest {
  /** As the request says it. */
  readonly wanted: Filters[string];
}

/**
 * Every key must match, for an array any item of it. A field that is a list matches with any of its items. The tests of a request
 * share the time that their expressions may take.
 * @throws a 400 `Failure` that names the key of an expression that does not compile, is too large or takes too long.
 */
export async function loadCustomFieldTests(filters: Filters = {}): Promise<CustomFieldTest[]> {
  const expressions = new Expressions();
  const tests: CustomFieldTest[] = [];
  for (const [key, wanted] of Object.entries(filters)) {
    const equals = new Set<unknown>();
    const writings: Writings[] = [];
    for (const value of [wanted].flat()) {
      if (typeof value !== 'string') {
        equals.add(isNumber(value) ? decimalOf(value) : value);
        continue;
      }
      const folded = withFoldedLetters(value);
      writings.push([
        await expressions.compile(key, value),
        folded === value ? undefined : await expressions.compile(key, folded),
      ]);
    }
    const isRight = (item: unknown) =>
      (typeof item !== 'string' && equals.has(isNumber(item) ? decimalOf(item) : item)) ||
      (isText(item) && isMatch(writings, textOf(item).slice(0, longestSubject)));
    tests.push({ key, wanted, matches: (value) => [value].flat().some(isRight) });
  }
  return tests;
}

/** An expression, and the same with its letters folded, unless that changes nothing. */
type Writings = readonly [asSent: Expression, folded: Expression | undefined];

/** Whether one of the expressions matches a text as it is, or as it is folded: `STRASSE` finds `Straße`, and `straße` finds `STRASSE`. */
function isMatch(writings: readonly Writings[], text: string): boolean {
  if (writings.some(([asSent]) => asSent.test(text))) {
    return true;
  }
  // The engine itself sees no difference between a letter and its lower case.
  const isSimple = isFoldedByLowerCase(text);
  return writings.some(([asSent, folded]) =>
    folded === undefined ? !isSimple && asSent.test(caseFolded(text)) : folded.test(caseFolded(text)),
  );
}

/** Values that an expression can match: numbers and booleans as they are written. */
function isText(value: unknown): value is string | number | ExactNumber | boolean {
  return typeof value === 'string' || isNumber(value) || typeof value === 'boolean';
}

const textOf = (value: string | number | ExactNumber | boolean) =>
  isNumber(value) ? digitsIn(value) : String(value);

const decimalOf = (number: number | ExactNumber) => decimalText(digitsIn(number));
