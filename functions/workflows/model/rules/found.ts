import { type Comparable, comparable, isEmpty } from './comparison.ts';
import { type FieldSource, fieldValue, rootOf } from './fields.ts';
import { type Members, membersOf } from './members.ts';

/** What a field has, made ready to be compared. */
export interface Found {
  readonly value: unknown;
  /** Those of a list, or a single value as a list of it; of what is missing, none. */
  readonly members: Members;
  /** The value as a single one. */
  readonly whole: Comparable;
}

/** By facts and field: an event is compared with many rules, and a text may be long. Facts never change. */
const known = new WeakMap<FieldSource['facts'], Map<string, Found>>();

/** The value of a field, prepared for comparisons: once for the same facts, however many rules ask. */
export function foundIn(field: string, source: FieldSource): Found {
  const { facts } = source;
  const { timezone } = facts.hours;
  // Whether it is open depends on more than the facts.
  if (rootOf(field) === 'businessHours') {
    return newFound(fieldValue(field, source), timezone);
  }
  const byField = known.get(facts) ?? new Map<string, Found>();
  known.set(facts, byField);
  const found = byField.get(field) ?? newFound(fieldValue(field, source), timezone);
  byField.set(field, found);
  return found;
}

function newFound(value: unknown, zone: string): Found {
  const list = listOf(value);
  let whole: Comparable | undefined;
  return {
    value,
    get members() {
      return membersOf(list, zone);
    },
    get whole() {
      whole ??= comparable(value, zone);
      return whole;
    },
  };
}

/** The members of a list, or a single value as a list of it; of what is missing, none. */
export const membersIn = (value: unknown, zone: string): Members => membersOf(listOf(value), zone);

/** A list as it is, and any other value as a list of it; an empty value is an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  return isEmpty(value) ? [] : [value];
}
