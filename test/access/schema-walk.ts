import type * as z from 'zod';

/** A field of a request's schema, and how to reach it: `[]` stands for any item of an array. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
  /** The object that it is a field of. */
  readonly parent: z.core.$ZodType;
}

/** Every field of an object's schema, with those of the objects in it. */
export function fieldsOf(schema: z.core.$ZodType, path: readonly string[] = []): Field[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return fieldsOf(def.innerType, path);
    case 'pipe':
      return [...fieldsOf(def.in, path), ...fieldsOf(def.out, path)];
    case 'array':
      return fieldsOf(def.element, [...path, '[]']);
    case 'record':
      return fieldsOf(def.valueType, [...path, '*']);
    case 'union':
      return def.options.flatMap((option) => fieldsOf(option, path));
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => [
        { path: [...path, name], schema: field, parent: schema },
        ...fieldsOf(field, [...path, name]),
      ]);
    default:
      return [];
  }
}

/** Whether a field is of this schema, or a list of it, or may be left out or null. */
export function isOf(field: z.core.$ZodType, wanted: z.core.$ZodType): 'one' | 'list' | undefined {
  if (field === wanted) {
    return 'one';
  }
  const { def } = (field as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return isOf(def.innerType, wanted);
    case 'pipe':
      return isOf(def.in, wanted) ?? isOf(def.out, wanted);
    case 'array':
      return isOf(def.element, wanted) && 'list';
    default:
      return undefined;
  }
}
