import * as z from 'zod/mini';
import { noneIfEmpty } from '../schemas/fields.ts';

/**
 * The value without the nulls that mean nothing: those of fields that may be left out and do not take null. A field that null clears
 * keeps it, and so does everything that the schema does not describe. In the fields of `noneIfEmpty`, an empty text of a form counts as
 * null, and an empty row of a form is no row. Source: decisions 1, "`null` for an optional field".
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
  const filled = items.filter((item) => !isEmptyRow(element, item));
  const cleaned = filled.map((item) => withoutNulls(element, item));
  const isSame = cleaned.length === items.length && cleaned.every((item, index) => item === items[index]);
  return isSame ? items : cleaned;
}

/** Whether an item of a list is an empty text for none, or an object that requires a value and has an empty text for it. */
function isEmptyRow(element: z.core.$ZodType, item: unknown): boolean {
  if (isEmptyText(item)) {
    return isNoneIfEmpty(element);
  }
  const { def } = (element as z.core.$ZodTypes)._zod;
  return (
    def.type === 'object' &&
    typeof item === 'object' &&
    item !== null &&
    Object.entries(def.shape).some(
      ([key, field]) =>
        field._zod.optin === undefined &&
        isEmptyText((item as Readonly<Record<string, unknown>>)[key]) &&
        isNoneIfEmpty(field),
    )
  );
}

const isEmptyText = (value: unknown) => value === '';

/** Whether an empty text in this field says that there is none. */
function isNoneIfEmpty(field: z.core.$ZodType): boolean {
  const { def } = (field as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return isNoneIfEmpty(def.innerType);
    case 'pipe':
      return isNoneIfEmpty(def.in);
    case 'number':
      return true;
    default:
      return noneIfEmpty.get(field) !== undefined;
  }
}

/** The same object if nothing in it changes. Looks only at members that the schema describes: a node may have 250,000 others. */
function membersWithoutNulls(shape: z.core.$ZodShape, value: object): object {
  const members = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(shape)) {
    const sent = members[key];
    const isNone = isEmptyText(sent) && field._zod.optin !== undefined && isNoneIfEmpty(field);
    const member = isNone ? null : sent;
    const cleaned = withoutNulls(field, member);
    const isAbsent = member === null && isAbsentAsNull(field);
    if (isAbsent || cleaned !== sent) {
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
