import { isExactNumber } from '../../../shared/kernel/exact-numbers.ts';

/**
 * A filter without what is empty in it: `''`, `[]` and null. Undefined if nothing is left; an object stays one. Source: decisions
 * 6, "Empty filters".
 */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value === 'object' && value !== null && !isExactNumber(value)) {
    const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  return value === '' || value === null ? undefined : value;
}

/** The same for a filter that needs all of its members; undefined also for one that has no members at all. */
export function unlessEmptyIn(value: unknown): unknown {
  const rest = withoutEmpty(value);
  if (typeof rest !== 'object' || rest === null) {
    return rest;
  }
  const [left, sent] = [Object.keys(rest).length, Object.keys(value as object).length];
  return left === 0 || left < sent ? undefined : rest;
}
