import type { Schema } from '../openapi/schemas.ts';

/** The TypeScript type of a schema of the document, with descriptions as comments. */
export function typeText(schema: Schema): string {
  const { $ref, const: only, enum: values, anyOf, type } = schema;
  if ($ref !== undefined) {
    return String($ref).split('/').at(-1) ?? '';
  }
  if (only !== undefined || values !== undefined) {
    return union((values ?? [only]).map((value) => JSON.stringify(value)));
  }
  if (anyOf !== undefined) {
    return union((anyOf as Schema[]).map(typeText));
  }
  if (Array.isArray(type)) {
    return union(type.map((one) => typeText({ ...schema, type: one })));
  }
  switch (type) {
    case 'array':
      return `Array<${typeText((schema.items ?? {}) as Schema)}>`;
    case 'object':
      return objectType(schema);
    case 'integer':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return type as string;
  }
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ');

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, schema]) =>
    fieldType(name, schema, required.includes(name) || schema.default !== undefined),
  );
  const others =
    typeof additionalProperties === 'object'
      ? `{ [key: string]: ${typeText(additionalProperties)} }`
      : undefined;
  if (fields.length === 0) {
    return others ?? '{ [key: string]: never }';
  }
  const known = `{\n${fields.join('\n')}\n}`;
  return others === undefined ? known : `${known} & ${others}`;
}

/** A field of an object type, below its description. */
export function fieldType(name: string, schema: Schema, isRequired: boolean): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${comment(schema.description)}${key}${isRequired ? '' : '?'}: ${typeText(schema)};`;
}

/** A comment in front of a declaration. */
export function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, '\n * ')} */\n` : '';
}
