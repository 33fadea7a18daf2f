import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The digits that are dialed within some countries before a number, also in plans of which the library does not know that. */
const usualTrunkPrefix = /^[08]/;

/** The plans of Italy, San Marino and the Vatican, in which a zero is a part of the number, which the library knows only in part. */
const plansWithZero: ReadonlySet<string> = new Set(['39', '378', '379']);

/** The prefix that was dialed within Mexico before a number until 2019. Source: ITU, numbering plan of Mexico (IFT). */
const formerMexicanPrefix = /^\+520(?:1|44|45)(?=[2-9]\d{9}$)/;

const parsed = (number: string): PhoneNumber | undefined =>
  parsePhoneNumberFromString(number, { extract: false });

/**
 * A number (a plus and digits) without a trunk prefix behind its country code: `+4402079460958` is `+442079460958`. Unchanged in plans
 * with numbers that begin so, as Italy's do with 0, and for a country code that nobody has. Source: ITU-T E.123, which wants no trunk
 * prefix in a number with a country code; decisions 6, "Phone numbers".
 */
export function withoutTrunkPrefix(written: string): string {
  const number = written.replace(formerMexicanPrefix, '+52');
  const found = parsed(number);
  if (found === undefined) {
    return number;
  }
  // Where the library adds an area code that was not written, the number stays as it was written.
  const shorter = found.number.length < number.length ? found.number : withoutUsualPrefix(found);
  return shorter === undefined ? number : withoutTrunkPrefix(shorter);
}

function withoutUsualPrefix(found: PhoneNumber): string | undefined {
  const { countryCallingCode, nationalNumber } = found;
  const isPart = plansWithZero.has(countryCallingCode) || found.isValid();
  if (isPart || !usualTrunkPrefix.test(nationalNumber)) {
    return undefined;
  }
  const shorter = `+${countryCallingCode}${nationalNumber.slice(1)}`;
  const rest = parsed(shorter);
  const isNumber = nationalNumber.startsWith('0')
    ? rest?.isPossible()
    : rest?.isValid() && !found.isPossible();
  return isNumber ? shorter : undefined;
}

/** Area codes of country code 1 begin with 2 to 9. Source: North American Numbering Plan, NXX format of area codes. */
const impossibleAreaCode = /^\+1[01]/;

/** Whether a number (E.164) can be one: it has a known country code, and as many digits as some numbers there have. */
export function isPossible(number: string): boolean {
  return !impossibleAreaCode.test(number) && parsed(number)?.isPossible() === true;
}
