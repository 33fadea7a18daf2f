import * as z from 'zod/mini';
import { type ExactNumber, isExactNumber, isNumber, toDouble } from '../exact-numbers.ts';
import { Failure } from '../failure.ts';

/** Takes a number with all its digits. */
export const AnyNumber = z
  .custom<number | ExactNumber>(isNumber, 'must be a number')
  .check(z.meta({ type: 'number' }));

/**
 * The value with doubles in the fields that a schema describes: exact numbers stay in free data, and in fields that take them (`AnyNumber`).
 * @throws a 400 `Failure` for a number beyond 64 bits in a described field.
 */
export function withPlainNumbers(schema: z.core.$ZodType, value: unknown, path = ''): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'unknown':
    case 'any':
    case 'custom':
      return value;
    case 'optional':
    case 'nullable':
    case 'default':
      return withPlainNumbers(def.innerType, value, path);
    case 'pipe':
      return withPlainNumbers(isTransform(def.in) ? def.out : def.in, value, path);
    case 'union':
      return withPlainNumbers(optionFor(def.options, value), value, path);
    default:
  }
  if (isExactNumber(value)) {
    return plain(value, path);
  }
  if (Array.isArray(value)) {
    if (def.type !== 'array') {
      return value;
    }
    const items = value.map((item, index) => withPlainNumbers(def.element, item, `${path}[${index}]`));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  const members = value as Record<string, unknown>;
  if (def.type === 'record') {
    return Object.fromEntries(
      Object.entries(members).map(([key, member]) => [key, withPlainNumbers(def.valueType, member, at(key))]),
    );
  }
  if (def.type !== 'object') {
    return value;
  }
  // Copied only if a described member changes: an object may have 100,000 others.
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(def.shape)) {
    const member = Object.hasOwn(members, key) ? members[key] : undefined;
    const taken = withPlainNumbers(field, member, at(key));
    if (taken !== member) {
      copy ??= { ...members };
      copy[key] = taken;
    }
  }
  return copy ?? value;
}

function plain(number: ExactNumber, path: string): number {
  const double = toDouble(number);
  if (!Number.isFinite(double)) {
    throw new Failure('INVALID', `${path} must be a number that fits into 64 bits`);
  }
  return double;
}

const typeOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def.type;
const isTransform = (schema: z.core.$ZodType) => typeOf(schema) === 'transform';

/** The option of a union that a value is for: one that takes exact numbers if it is one, else the one of its kind. */
function optionFor(options: readonly z.core.$ZodType[], value: object): z.core.$ZodType {
  const flat = options.flatMap(optionsIn);
  const kinds: readonly string[] = isExactNumber(value)
    ? ['custom', 'unknown', 'any']
    : Array.isArray(value)
      ? ['array']
      : ['object', 'record'];
  return flat.find((option) => kinds.includes(typeOf(option))) ?? flat[0] ?? z.unknown();
}

/** The schemas of the values that this option takes: those of a union, and of a pipe what goes into it. */
function optionsIn(option: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = (option as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'union':
      return def.options.flatMap(optionsIn);
    case 'pipe':
      return optionsIn(def.in);
    default:
      return [option];
  }
}
