import type { AwaitedEvent } from '../graph/plan.ts';
import { type Comparable, comparable, isEmpty, isInOrder } from './comparison.ts';
import { type FieldSource, rootOf } from './fields.ts';
import { type Found, foundIn, listOf, membersIn } from './found.ts';

/** Source: the page of workflows, "Rules". */
export const operators = [
  'equals',
  'not_equals',
  'contains',
  'starts_with',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'exists',
  'not_exists',
] as const;

export type Operator = (typeof operators)[number];

/** Compares a field (`contact.…`, `event.…`, `businessHours.open`, `step.<nodeId>.…`) with a value. */
export interface Rule {
  readonly field: string;
  readonly operator: Operator;
  readonly value?: unknown;
}

/** Characters of a text that `contains` looks at: an event may be compared with thousands of rules. */
const longestSearched = 4_096;

/** Rules of which all must hold, or any. */
export type Filter = Pick<AwaitedEvent, 'filter' | 'match'>;

/** Whether the rules hold; without rules they do. */
export function holds({ filter, match }: Filter, source: FieldSource): boolean {
  const isTrue = (rule: Rule) => ruleHolds(rule, source);
  return filter.length === 0 || (match === 'any' ? filter.some(isTrue) : filter.every(isTrue));
}

/** Whether the rules need the contact, its pipelines or the business hours, and not the event alone. */
export function needsMoreThanEvent(filter: readonly Rule[]): boolean {
  return filter.some(({ field }) => rootOf(field) !== 'event');
}

/**
 * Whether a rule holds. A list has a value when one of its members has it, so that `contact.tags equals vip` asks for a tag. What is
 * missing or empty is equal to nothing but nothing, and neither greater nor smaller than anything.
 */
export function ruleHolds({ field, operator, value }: Rule, source: FieldSource): boolean {
  const found = foundIn(field, source);
  const zone = source.facts.hours.timezone;
  switch (operator) {
    case 'exists':
      return !isEmpty(found.value);
    case 'not_exists':
      return isEmpty(found.value);
    case 'equals':
      return equals(found, value, zone);
    case 'not_equals':
      return !equals(found, value, zone);
    case 'contains':
      return membersIn(value, zone).all.every((part) => hasPart(found, part));
    case 'starts_with':
      return membersIn(value, zone).all.some((start) => found.members.hasStart(start));
    case 'in':
      return listOf(value).some((one) => equals(found, one, zone));
    default: {
      const other = comparable(value, zone);
      return found.members.all.some((one) => isInOrder(one, operator, other));
    }
  }
}

/** Two lists are equal when they have the same members, in whatever order. */
function equals({ value: found, members }: Found, value: unknown, zone: string): boolean {
  if (isEmpty(found) || isEmpty(value)) {
    return isEmpty(found) && isEmpty(value);
  }
  if (Array.isArray(found) && Array.isArray(value)) {
    const others = membersIn(value, zone);
    return members.all.every(others.has) && others.all.every(members.has);
  }
  return members.has(comparable(value, zone));
}

/** Whether a text contains another one, or a list has this member. */
function hasPart(found: Found, part: Comparable): boolean {
  if (Array.isArray(found.value)) {
    return found.members.has(part);
  }
  const { word } = found.whole;
  return word !== undefined && part.word !== undefined && word.slice(0, longestSearched).includes(part.word);
}
