import type * as z from 'zod';

/** A field of a request's schema, and how to reach it: `[]` stands for any item of an array. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
  /** The object that it is a field of. */
  readonly parent: z.core.$ZodType;
}

/** Every field of an object's schema, with those of the objects in it. */
export function schemaFields(schema: z.core.$ZodType, path: readonly string[] = []): Field[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return schemaFields(def.innerType, path);
    case 'pipe':
      return [...schemaFields(def.in, path), ...schemaFields(def.out, path)];
    case 'array':
      return schemaFields(def.element, [...path, '[]']);
    case 'record':
      return schemaFields(def.valueType, [...path, '*']);
    case 'union':
      return def.options.flatMap((option) => schemaFields(option, path));
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => [
        { path: [...path, name], schema: field, parent: schema },
        ...schemaFields(field, [...path, name]),
      ]);
    default:
      return [];
  }
}

/** Whether a field is of this schema, or a list of it, or may be left out or null. */
export function fieldMatch(field: z.core.$ZodType, wanted: z.core.$ZodType): 'one' | 'list' | undefined {
  if (field === wanted) {
    return 'one';
  }
  const { def } = (field as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return fieldMatch(def.innerType, wanted);
    case 'pipe':
      return fieldMatch(def.in, wanted) ?? fieldMatch(def.out, wanted);
    case 'array':
      return fieldMatch(def.element, wanted) && 'list';
    default:
      return undefined;
  }
}
