import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { sameNumberForm } from '../kernel/names/same-numbers.ts';
import { isWithheldNumber } from './withheld.ts';

/** A telephone number as it is stored. */
export interface ReadPhoneNumber {
  /** E.164. */
  readonly value: string;
  /** The digits to dial once somebody answers; absent for none. */
  readonly extension?: string;
}

/** Digits of an extension. libphonenumber takes as many. */
export const longestExtension = 20;

/** E.164: a plus, a country code that does not start with 0, 2 to 15 digits in all. Source: ITU-T E.164; decisions 6. */
const e164 = /^\+[1-9]\d{1,14}$/;

/** Whether a text is a number as it is stored. */
export const isPhoneNumber = (text: string): boolean => e164.test(text) && !isWithheldNumber(text);

/**
 * Reads a number with its country code as people, forms and providers write it; undefined for what is none. Source: decisions 6,
 * "Phone numbers".
 */
export function readPhoneNumber(written: string): ReadPhoneNumber | undefined {
  return numberOf(partsOf(withoutScheme(plainText(written))));
}

/** A remark like `(home)`. */
const note = /\s*\p{Ps}[^\p{N}\p{Ps}\p{Pe}]*\p{L}[^\p{N}\p{Ps}\p{Pe}]*\p{Pe}$/u;
/** Digits of a number that may have a remark behind it: `+1 800 (FLOWERS)` is not `+1800`. */
const leastNoted = 8;

/**
 * The same for the number of a lead, which nobody can correct: a remark in brackets behind it goes, `011` is `+`, and 11 to 15 digits get
 * the plus that they lack, unless no country has such numbers.
 */
export function readLeadPhoneNumber(written: string): ReadPhoneNumber | undefined {
  const text = withoutScheme(plainText(written));
  const { number, ...extension } = partsOf(text.replace(note, ''));
  if (note.test(text) && number.length < leastNoted) {
    return undefined;
  }
  if (!/^(?:[1-9]\d{10,14}|011[1-9]\d{6,14})$/.test(number)) {
    return numberOf({ number, ...extension });
  }
  const found = numberOf({ number: `+${number.replace(/^011/, '')}`, ...extension });
  return found && plans().isPossible(sameNumberForm(found.value)) ? found : undefined;
}

/** In UTF-16 code units: a longer text is no number, whatever it says. */
const longest = 250;

/** A text in ASCII digits, plus signs and brackets, without invisible characters; empty for one that cannot be a number. */
export function plainText(written: string): string {
  // NFKC makes digits of `²` and `①`, which are not meant as digits of a number.
  if (written.length > longest || /[\p{No}\p{Nl}]/u.test(written)) {
    return '';
  }
  return written
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll('´', "'") // NFKC would make it a blank and an accent.
    .normalize('NFKC')
    .replaceAll(/(?![0-9])\p{Nd}/gu, valueOfDigit)
    .trim();
}

/** Digits of a script stand in Unicode in their order from zero, ten after ten. Source: Unicode Standard, 4.6, "Numeric Value". */
function valueOfDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let first = at;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) {
    first -= 1;
  }
  return String((at - first) % 10);
}

/** A plain text without the scheme of an address of a telephone: `tel:` (RFC 3966), `p:` (Facebook), `sip:` and `sips:` (RFC 3261). */
export function withoutScheme(text: string): string {
  return text.replace(/^(?:tel|p)\s*:/i, '').replace(/^sips?\s*:([^@]*)(?:@.*)?$/i, '$1');
}

/** Blanks, dashes, dots, slashes, apostrophes, underscores and brackets. */
const separators = /[\s\p{Dash}.・·•/'"`ʼ′ー_\p{Ps}\p{Pe}\p{Pi}\p{Pf}]/gu;

/** A plain text without what people write between digits. */
export const withoutSeparators = (text: string): string => text.replace(separators, '');

interface Parts {
  /** Without separators, perhaps no number at all. */
  readonly number: string;
  readonly extension?: string;
}

/** An extension behind a number, in the words that libphonenumber knows, too. */
const extensionBehind =
  /(?:[\s,]*(?:e?xt(?:ensi[oó]n|n)?|доб|anexo|int|[x#~])[\s.:,-]*|,,)(?<digits>\d{1,20})#?$/iu;

/** A parameter of RFC 3966, of which only `ext` counts: anything else behind a semicolon, like another number, makes the text no number. */
const parameter = /^(?:ext\s*=\s*((?:[\s.()-]*\d){1,20})|(?!ext\s*=)[a-z][\w-]*(?:\s*=.*)?)?$/i;

/** The parts of a plain text without scheme. */
function partsOf(text: string): Parts {
  const [written = '', ...parameters] = text.split(/\s*;\s*/);
  if (!parameters.every((pattern) => parameter.test(pattern))) {
    return { number: '' };
  }
  const [, ext] = parameters.map((pattern) => parameter.exec(pattern)).find((pattern) => pattern?.[1]) ?? [];
  const sent = ext?.replaceAll(/\D/g, '');
  const { digits } = extensionBehind.exec(written)?.groups ?? {};
  const number = withoutSeparators(digits === undefined ? written : written.replace(extensionBehind, ''));
  const extension = sent ?? digits;
  return extension === undefined ? { number } : { number, extension };
}

function numberOf({ number, ...extension }: Parts): ReadPhoneNumber | undefined {
  const international = number.replace(/^00/, '+');
  if (!/^\+[1-9]\d+$/.test(international)) {
    return undefined;
  }
  const value = plans().withoutTrunkPrefix(international);
  return isPhoneNumber(value) ? { value, ...extension } : undefined;
}

type NumberingPlans = typeof import('./numbering-plans.ts');
let loaded: NumberingPlans | undefined;

/**
 * The plans of all countries are half as large as a function, so a process loads them with its first number: from a file beside this one,
 * or beside the bundle with this one. `import(…)` would not do, because the checks of a schema cannot wait.
 */
function plans(): NumberingPlans {
  loaded ??= createRequire(import.meta.url)(
    `./numbering-plans${extname(import.meta.filename)}`,
  ) as NumberingPlans;
  return loaded;
}
