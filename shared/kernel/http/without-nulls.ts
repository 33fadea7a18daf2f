import * as z from 'zod/mini';

/**
 * The value without the nulls that mean nothing: those of fields that may be left out and do not take null. A field that null clears
 * keeps it, and so does everything that the schema does not describe. Source: decisions 1, "`null` for an optional field".
 */
export function withoutNulls(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return withoutNulls(def.innerType, value);
    case 'pipe':
      return withoutNulls(def.in, value);
    case 'array':
      return Array.isArray(value) ? value.map((item) => withoutNulls(def.element, item)) : value;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? membersWithoutNulls(def.shape, value)
        : value;
    default:
      return value;
  }
}

function membersWithoutNulls(shape: z.core.$ZodShape, value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (field === undefined) {
        return [[key, member]];
      }
      return member === null && isAbsentAsNull(field) ? [] : [[key, withoutNulls(field, member)]];
    }),
  );
}

/** Whether null in a field means the same as leaving it out: the field is optional and does not take null itself. */
export function isAbsentAsNull(field: z.core.$ZodType): boolean {
  return field._zod.optin !== undefined && !z.safeParse(field, null).success;
}
