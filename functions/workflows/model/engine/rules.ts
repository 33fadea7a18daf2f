import type { AwaitedEvent } from '../graph/plan.ts';
import { comparing, isEmpty } from './comparison.ts';
import { type FieldSource, fieldValue, rootOf } from './fields.ts';

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
  const compare = comparing(source.facts.hours.timezone);
  switch (operator) {
    case 'exists':
      return !isEmpty(found);
    case 'not_exists':
      return isEmpty(found);
    case 'equals':
      return equals(found, value, compare.isSame);
    case 'not_equals':
      return !equals(found, value, compare.isSame);
    case 'contains':
      return listOf(value).every((part) => compare.hasPart(found, part));
    case 'starts_with':
      return listOf(found).some((one) => listOf(value).some((start) => compare.startsWith(one, start)));
    case 'in':
      return listOf(value).some((one) => equals(found, one, compare.isSame));
    default:
      return listOf(found).some((one) => compare.isInOrder(one, operator, value));
  }
}

/** Two lists are equal when they have the same members, in whatever order. */
function equals(found: unknown, value: unknown, isSame: (one: unknown, other: unknown) => boolean): boolean {
  if (isEmpty(found) || isEmpty(value)) {
    return isEmpty(found) && isEmpty(value);
  }
  if (Array.isArray(found) && Array.isArray(value)) {
    const isIn = (list: readonly unknown[]) => (one: unknown) => list.some((other) => isSame(one, other));
    return found.every(isIn(value)) && value.every(isIn(found));
  }
  return listOf(found).some((one) => isSame(one, value));
}

/** A single value as a list of it; what is missing as an empty one. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  return isEmpty(value) ? [] : [value];
}
