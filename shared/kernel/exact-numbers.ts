import Big from 'big.js';

/**
 * A number of free data as it was written, where a double would change its digits: `120210000000000123`, `5000.00`, `1e2`. It is what
 * `JSON.rawJSON` makes, so `JSON.stringify` writes the same digits again. Source: RFC 8259, 6; decisions 1, "Numbers in free data".
 */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** The part of the proposal "JSON.parse source text access" that Node.js has and the types of TypeScript do not. */
const json = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};

export const isExactNumber = (value: unknown): value is ExactNumber => json.isRawJSON(value);

/** A number with so many digits, a zero at the end of its fraction, six behind its point, an exponent or a sign before a zero. */
const odd =
  /(?:^|[\s:,[])-?(?:\d[\d.]{15,}|\d+\.\d*0|0\.0{6}\d+|\d[\d.]*[eE][+-]?\d+|0(?<=-0))(?=[\s,\]}]|$)/;

/** Whether a JSON text may have a number whose digits a double would change; true for a few that have none. */
export const mayLoseDigits = (text: string): boolean => odd.test(text);

/**
 * The value of a JSON text, with exact numbers where doubles would change the digits. A number with an exponent beyond 64 bits becomes
 * infinite, as in `JSON.parse`.
 * @throws a `SyntaxError` for what is not JSON.
 */
export function parseJson(text: string): unknown {
  // A reviver takes thirty times as long, and nearly no text needs one.
  if (!mayLoseDigits(text)) {
    return JSON.parse(text);
  }
  try {
    return json.parse(text, withItsDigits);
  } catch (error) {
    if (error instanceof RangeError) {
      // Nested too deep for a reviver, and for everything that is stored.
      return JSON.parse(text);
    }
    throw error;
  }
}

function withItsDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) {
    return value;
  }
  return Number.isFinite(value) || !/e/i.test(source) ? json.rawJSON(source) : value;
}

export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || isExactNumber(value);

/** The digits of a number as they were written. */
export const digitsIn = (number: number | ExactNumber): string =>
  typeof number === 'number' ? String(number) : number.rawJSON;

/** The nearest double; infinite for one beyond 64 bits. */
export const toDouble = (number: number | ExactNumber): number =>
  // Not -0, which would be another value than 0 for a comparison.
  (typeof number === 'number' ? number : Number(number.rawJSON)) + 0;

/** The same text for the same number, however it is written: `5000` for `5000.00` and `5e3`. @param digits a JSON number. */
export function decimalText(digits: string): string {
  const double = String(Number(digits) + 0);
  return double === digits ? double : new Big(digits).toString();
}

/** Below 0 if the first number is smaller, above 0 if it is greater, and 0 if both are the same. @param one a JSON number. */
export function comparedDecimals(one: string, other: string): number {
  const [first, second] = [Number(one), Number(other)];
  return first < second ? -1 : first > second ? 1 : new Big(one).cmp(other);
}
