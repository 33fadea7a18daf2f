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
      return Array.isArray(value) ? itemsWithoutNulls(def.element, value) : value;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? membersWithoutNulls(def.shape, value)
        : value;
    default:
      return value;
  }
}

/** The same array if nothing in it changes. */
function itemsWithoutNulls(element: z.core.$ZodType, items: readonly unknown[]): readonly unknown[] {
  const cleaned = items.map((item) => withoutNulls(element, item));
  return cleaned.every((item, index) => item === items[index]) ? items : cleaned;
}

/** The same object if nothing in it changes. Looks only at members that the schema describes: a node may have 250,000 others. */
function membersWithoutNulls(shape: z.core.$ZodShape, value: object): object {
  const members = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(shape)) {
    const member = members[key];
    const cleaned = withoutNulls(field, member);
    const isAbsent = member === null && isAbsentAsNull(field);
    if (isAbsent || cleaned !== member) {
      copy ??= { ...members };
      copy[key] = cleaned;
      if (isAbsent) {
        Reflect.deleteProperty(copy, key);
      }
    }
  }
  return copy ?? value;
}

/** Whether null in a field means the same as leaving it out: the field is optional and does not take null itself. */
export function isAbsentAsNull(field: z.core.$ZodType): boolean {
  return field._zod.optin !== undefined && !z.safeParse(field, null).success;
}
