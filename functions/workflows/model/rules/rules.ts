import type { AwaitedEvent } from '../graph/plan.ts';
import { type Comparable, comparable, isEmpty, isInOrder } from './comparison.ts';
import { type FieldSource, fieldValue, rootOf } from './fields.ts';
import { type Members, membersOf } from './members.ts';

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
  const found = fieldValue(field, source);
  const zone = source.facts.hours.timezone;
  switch (operator) {
    case 'exists':
      return !isEmpty(found);
    case 'not_exists':
      return isEmpty(found);
    case 'equals':
      return equals(found, value, zone);
    case 'not_equals':
      return !equals(found, value, zone);
    case 'contains':
      return membersIn(value, zone).all.every(partIn(found, zone));
    case 'starts_with': {
      const members = membersIn(found, zone);
      return membersIn(value, zone).all.some((start) => members.hasStart(start));
    }
    case 'in':
      return listOf(value).some((one) => equals(found, one, zone));
    default: {
      const other = comparable(value, zone);
      return membersIn(found, zone).all.some((one) => isInOrder(one, operator, other));
    }
  }
}

/** Two lists are equal when they have the same members, in whatever order. */
function equals(found: unknown, value: unknown, zone: string): boolean {
  if (isEmpty(found) || isEmpty(value)) {
    return isEmpty(found) && isEmpty(value);
  }
  const members = membersIn(found, zone);
  if (Array.isArray(found) && Array.isArray(value)) {
    const others = membersIn(value, zone);
    return members.all.every(others.has) && others.all.every(members.has);
  }
  return members.has(comparable(value, zone));
}

/** Whether a text contains another one, or a list has this member. */
function partIn(found: unknown, zone: string): (part: Comparable) => boolean {
  if (Array.isArray(found)) {
    return membersOf(found, zone).has;
  }
  const { word } = comparable(found, zone);
  return (part) => word !== undefined && part.word !== undefined && word.includes(part.word);
}

/** Those of a list, or a single value as a list of it; of what is missing, none. */
const membersIn = (value: unknown, zone: string): Members => membersOf(listOf(value), zone);

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  return isEmpty(value) ? [] : [value];
}
