import type { Schema } from './schemas.ts';

/** Levels of fields within fields that a list shows; the OpenAPI document has all. */
const deepest = 3;

/** The fields of an object as a list in Markdown, those of the objects within it below them. */
export function fieldLines(schema: Schema, depth = 0): string[] {
  const { properties = {}, required = [] } = objectIn(schema);
  return depth === deepest
    ? []
    : Object.entries(properties).flatMap(([name, field]) => [
        fieldLine(name, field, { isRequired: required.includes(name), depth }),
        ...fieldLines(field, depth + 1),
      ]);
}

/** A field or a parameter as an entry of a list. */
export function fieldLine(
  name: string,
  schema: Schema,
  {
    isRequired,
    depth = 0,
    description = schema.description,
  }: {
    readonly isRequired: boolean;
    readonly depth?: number;
    readonly description?: string | undefined;
  },
): string {
  const kind = `${typeText(schema)}${isRequired ? ', required' : ''}`;
  return `${'  '.repeat(depth)}- \`${name}\` (${kind})${description === undefined ? '' : `: ${description}`}`;
}

/** The object of a schema that is one, or a list of such. */
function objectIn(schema: Schema): { properties?: Record<string, Schema>; required?: string[] } {
  return (schema.items === undefined ? schema : objectIn(schema.items as Schema)) as never;
}

function typeText(schema: Schema): string {
  const either = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Schema[] | undefined;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values !== undefined) {
    return values.map((value) => `\`${String(value)}\``).join(' or ');
  }
  if (either !== undefined) {
    return [...new Set(either.map(typeText))].join(' or ');
  }
  if (schema.items !== undefined) {
    return `list of ${typeText(schema.items as Schema)}`;
  }
  return schema.type === undefined ? 'any' : [schema.type].flat().join(' or ');
}
