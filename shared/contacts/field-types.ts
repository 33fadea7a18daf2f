import { digitsIn, isNumber, parseJson } from '../kernel/exact-numbers.ts';
import { differentNames, named } from '../kernel/names/same-names.ts';
import { comparable, IsoDateTime, IsoMoment, parseMoment } from '../organizations/written-times.ts';
import type { FieldDefinition, FieldType } from './field-definition.ts';

/** What the values of custom fields are read with. */
export interface FieldReading {
  /** The time zone of times without an offset. */
  readonly zone: string;
  /** The ids of users by what may name them: their ids, and in texts also their email addresses in lower case. */
  readonly userIds: ReadonlyMap<string, string>;
}

type Kind = Pick<FieldDefinition, 'type' | 'options'>;
type Reader = (value: unknown, definition: Kind, reading: FieldReading) => unknown;

/** What each type stores for a value; undefined for one that does not fit. */
const readers: Record<FieldType, Reader> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  number: (value) => (isNumber(value) && !isInfinite(value) ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: (value) => {
    const day = wordIn(value);
    return /^\d{4}-\d\d-\d\d$/.test(day) && IsoMoment.safeParse(day).success ? day : undefined;
  },
  dateTime: (value, _, { zone }) => {
    const time = wordIn(value);
    return IsoDateTime.safeParse(time).success ? comparable(parseMoment(time, zone)) : undefined;
  },
  oneOf: (value, { options }) => optionsNamed(options)(wordIn(value))?.name,
  anyOf: (value, { options }) => {
    const chosen = Array.isArray(value) ? value.map((item) => optionsNamed(options)(wordIn(item))?.name) : [];
    return Array.isArray(value) && chosen.every((name) => name !== undefined)
      ? differentNames(chosen)
      : undefined;
  },
  url: (value) => {
    const url = wordIn(value);
    return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
  },
  user: (value, _, { userIds }) => userIds.get(wordIn(value)) ?? userIds.get(wordIn(value).toLowerCase()),
};

const meanings: Record<FieldType, (definition: Kind) => string> = {
  text: () => 'must be a string',
  number: () => 'must be a number',
  boolean: () => 'must be true or false',
  date: () => 'must be a date (YYYY-MM-DD)',
  dateTime: () => 'must be an ISO 8601 date-time',
  oneOf: ({ options }) => `must be one of: ${listed(options)}`,
  anyOf: ({ options }) => `must be a list of: ${listed(options)}`,
  url: () => 'must be an address that begins with http:// or https://',
  user: () => 'must be the id of a user of this organization',
};

/** The value as its type stores it; undefined for one that does not fit. */
export function typedValue(value: unknown, definition: Kind, reading: FieldReading): unknown {
  return readers[definition.type](value, definition, reading);
}

/** The same for a value that comes from a form, a sheet or a template, in which everything is text. */
export function valueFromText(value: unknown, definition: Kind, reading: FieldReading): unknown {
  const typed = typedValue(value, definition, reading);
  const text = textOf(value);
  return typed !== undefined || text === undefined
    ? typed
    : typedValue(fromText[definition.type]?.(text) ?? text, definition, reading);
}

/** Whether a field has no value: null, an empty text or an empty list. */
export function isBlank(value: unknown): boolean {
  return (
    value == null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Tells the writer of a value what its type takes: `must be a number`. */
export function expected(definition: Kind): string {
  return meanings[definition.type](definition);
}

/** What a text means to the types that are no texts; undefined for a text that means nothing to them. */
const fromText: Partial<Record<FieldType, (text: string) => unknown>> = {
  number: numberIn,
  boolean: (text) => words.get(text.toLowerCase()),
  anyOf: (text) => text.split('|').filter((option) => option.trim() !== ''),
};

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

/** A decimal with all of its digits, also with a plus or zeros in front. */
function numberIn(text: string): unknown {
  const [, sign = '', digits] = /^([+-]?)0*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return digits === undefined ? undefined : parseJson(`${sign === '-' ? '-' : ''}${digits}`);
}

function textOf(value: unknown): string | undefined {
  if (isNumber(value)) {
    return digitsIn(value);
  }
  return typeof value === 'string' || typeof value === 'boolean' ? String(value).trim() : undefined;
}

/** A number beyond 64 bits, which JSON cannot write. */
const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);

const wordIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const optionsNamed = (options: readonly string[]) => named(options.map((name) => ({ name })));

/** Options that a message lists. */
const mostListed = 10;

function listed(options: readonly string[]): string {
  const shown = options.slice(0, mostListed).join(', ');
  return options.length > mostListed ? `${shown} and ${options.length - mostListed} more` : shown;
}
