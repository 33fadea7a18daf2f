import type { Filter, Rule } from '../definition/filter.ts';
import { type Comparable, isEmpty } from './comparison.ts';
import { type FieldSource, fieldRoot } from './fields.ts';
import { asList, type Prepared, preparedField, preparedValue } from './prepared.ts';

/** Whether the rules hold; without rules they do. */
export function holds({ filter, match }: Filter, source: FieldSource): boolean {
  const isTrue = (rule: Rule) => ruleHolds(rule, source);
  return filter.length === 0 || (match === 'any' ? filter.some(isTrue) : filter.every(isTrue));
}

/** Whether the rules need the contact, its pipelines or the business hours, and not the event alone. */
export function needsMoreThanEvent(filter: readonly Rule[]): boolean {
  return filter.some(({ field }) => fieldRoot(field) !== 'event');
}

/**
 * Whether a rule holds. A list has a value when one of its members has it, so that `contact.tags equals vip` asks for a tag. A
 * missing or empty value equals only another missing or empty one, and is neither greater nor smaller than anything.
 */
export function ruleHolds(rule: Rule, source: FieldSource): boolean {
  const { operator } = rule;
  const found = preparedField(rule.field, source);
  const other = preparedValue(rule, source.context.hours.timezone);
  switch (operator) {
    case 'exists':
      return !isEmpty(found.value);
    case 'not_exists':
      return isEmpty(found.value);
    case 'equals':
      return equals(found, other);
    case 'not_equals':
      return !equals(found, other);
    case 'contains':
      return other.members.all.every((part) => hasPart(found, part));
    case 'starts_with':
      return other.members.all.some(found.members.hasStart);
    case 'in':
      return isAmong(found, other);
    default:
      return found.members.hasInOrder(operator, other.whole);
  }
}

/** Two lists are equal when they have the same members, in whatever order. */
function equals(found: Prepared, other: Prepared): boolean {
  if (isEmpty(found.value) || isEmpty(other.value)) {
    return isEmpty(found.value) && isEmpty(other.value);
  }
  if (Array.isArray(found.value) && Array.isArray(other.value)) {
    return found.members.all.every(other.members.has) && other.members.all.every(found.members.has);
  }
  return found.members.has(other.whole);
}

/** Whether it equals one of several values. */
function isAmong(found: Prepared, others: Prepared): boolean {
  if (isEmpty(found.value)) {
    return asList(others.value).some(isEmpty);
  }
  return Array.isArray(found.value)
    ? others.singles.all.some(found.members.has) || others.lists.some((list) => equals(found, list))
    : others.singles.has(found.whole);
}

/** Whether a text contains another one, or a list has this member. */
function hasPart(found: Prepared, part: Comparable): boolean {
  if (Array.isArray(found.value)) {
    return found.members.has(part);
  }
  return found.whole.word !== undefined && part.word !== undefined && found.hasPart(part.word);
}
