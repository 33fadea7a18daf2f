import { isExactNumber } from '../exact-numbers.ts';
import { Failure } from '../failure.ts';
import { normalized } from '../normal-form.ts';

/**
 * Gives every text and key of a body its normal form, in place: names that look the same are the same. When two keys become the same, the
 * last one counts, as in JSON. Source: decisions 1, "Text".
 * @param levels of nesting that it may have.
 * @throws a 400 `Failure` for what cannot be stored.
 */
export function makeStorable(body: object, levels: number): void {
  makeMembersStorable(body, '', levels, levels);
}

function makeMembersStorable(value: object, path: string, left: number, levels: number): void {
  if (left === 0) {
    throw new Failure('INVALID', `body must not be nested deeper than ${levels} levels`);
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      value[index] = storable(value[index], `${path}[${index}]`, left - 1, levels);
    }
    return;
  }
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members);
  for (const key of keys) {
    const at = path === '' ? key : `${path}.${key}`;
    if (key === '__proto__') {
      throw new Failure('INVALID', 'body must not contain the key __proto__');
    }
    if (!key.isWellFormed()) {
      throw new Failure('INVALID', `${path || 'body'} must have keys of well-formed Unicode`);
    }
    members[key] = storable(members[key], at, left - 1, levels);
  }
  if (keys.some((key) => normalized(key) !== key)) {
    rename(members);
  }
}

/** Gives the keys their normal form. All are written again, so that they stay in their order. */
function rename(members: Record<string, unknown>): void {
  const all = Object.entries(members);
  for (const [key] of all) {
    Reflect.deleteProperty(members, key);
  }
  for (const [key, member] of all) {
    members[normalized(key)] = member;
  }
}

function storable(value: unknown, path: string, left: number, levels: number): unknown {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw new Failure('INVALID', `${path} must be well-formed Unicode, without lone surrogates`);
    }
    return normalized(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new Failure('INVALID', `${path} must be a number that fits into 64 bits`);
  }
  if (typeof value === 'object' && value !== null && !isExactNumber(value)) {
    makeMembersStorable(value, path, left, levels);
  }
  return value;
}
