/** Rewrites what a file says in the one form that the readers of dates and numbers take; any other text stays, so that it is refused there. */
export type Rewriter = (written: string) => string;

/** The parts of a format, and the digits that each may have. */
const digits = { YYYY: '\\d{4}', MM: '\\d{1,2}', DD: '\\d{1,2}', HH: '\\d{1,2}', mm: '\\d{2}', ss: '\\d{2}' };
type Part = keyof typeof digits;
const part = /YYYY|MM|DD|HH|mm|ss/g;

/** Whether a text tells how dates are written: a year, a month and a day, and perhaps a time to the minute. */
export function isDateFormat(format: string): boolean {
  const parts: readonly string[] = format.match(part) ?? [];
  const has = (...names: readonly Part[]) => names.every((name) => parts.includes(name));
  return (
    new Set(parts).size === parts.length &&
    has('YYYY', 'MM', 'DD') &&
    has('HH') === has('mm') &&
    (has('mm') || !has('ss')) &&
    !/[\p{L}\d]/u.test(format.replaceAll(part, '').replaceAll('T', ''))
  );
}

/**
 * How dates are written in a file: in a format, or in the order that people of a locale use, with any separators. ISO 8601 is always read.
 */
export function isoDates({
  dateFormat,
  locale,
}: {
  dateFormat?: string | undefined;
  locale?: string | undefined;
}): Rewriter {
  const pattern = dateFormat ? patternOfFormat(dateFormat) : locale ? patternOfLocale(locale) : undefined;
  return (written) => {
    const found = pattern?.exec(written.trim())?.groups;
    if (found === undefined) {
      return written;
    }
    const { YYYY = '', MM = '', DD = '', HH, mm, ss } = found;
    const date = `${YYYY}-${MM.padStart(2, '0')}-${DD.padStart(2, '0')}`;
    return HH === undefined
      ? date
      : `${date}T${HH.padStart(2, '0')}:${mm}${ss === undefined ? '' : `:${ss}`}`;
  };
}

function patternOfFormat(format: string): RegExp {
  const source = format
    .split(new RegExp(`(${part.source})`))
    .map((piece) =>
      Object.hasOwn(digits, piece)
        ? `(?<${piece}>${digits[piece as Part]})`
        : piece.replaceAll(/[^\p{L}\d\s]/gu, String.raw`\$&`),
    );
  return new RegExp(`^${source.join('')}$`);
}

/** Behind the day there may be a time of 24 hours. */
const timeBehind = String.raw`(?:[\s,T]+(?<HH>\d{1,2}):(?<mm>\d{2})(?::(?<ss>\d{2}))?)?`;

function patternOfLocale(locale: string): RegExp {
  const names: Partial<Record<string, Part>> = { year: 'YYYY', month: 'MM', day: 'DD' };
  const order = new Intl.DateTimeFormat(locale, { calendar: 'gregory', numberingSystem: 'latn' })
    .formatToParts(0)
    .flatMap(({ type }) => names[type] ?? []);
  return new RegExp(
    String.raw`^${order.map((name) => `(?<${name}>${digits[name]})`).join(String.raw`\s*[./\-\s]\s*`)}\.?${timeBehind}$`,
  );
}

/** Whether a text is a language tag. Source: RFC 5646. */
export function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** Numbers as people of a locale write them: `1.234,5` in German is 1234.5. */
export function plainNumbers(locale: string | undefined): Rewriter {
  const parts = new Intl.NumberFormat(locale ?? 'en', { numberingSystem: 'latn' }).formatToParts(12_345.5);
  const sign = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  const [group, decimal] = [sign('group'), sign('decimal')];
  const form = new RegExp(String.raw`^[+-]?\d{1,3}(?:[${group}\s]?\d{3})*(?:[${decimal}]\d+)?$`);
  return (written) => {
    const text = written.trim();
    return form.test(text)
      ? text.replaceAll(new RegExp(String.raw`[${group}\s]`, 'g'), '').replace(decimal, '.')
      : written;
  };
}
