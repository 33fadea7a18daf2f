import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { createComponents, createRegistry, type ZodOpenApiOverride } from 'zod-openapi/api';

export type Schema = z.core.JSONSchema.BaseSchema;

/** Requests are described as they are sent, responses as they are received: defaults and conversions make the difference. */
export type Direction = 'input' | 'output';

/** Converts the kernel's schemas into those of the document; one with `.meta({ id })` becomes a component. */
export interface Schemas {
  schemaOf(schema: z.core.$ZodType, direction: Direction): Schema;
  components(): Record<string, Schema>;
}

/** A reference to a component. */
export const componentSchema = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A schema of the document, with its operation's file for error messages. */
export interface Listed {
  readonly schema: z.core.$ZodType;
  readonly direction: Direction;
  readonly file?: string;
}

/**
 * The schemas of a document. `all` must hold every schema that `schemaOf` will be called with, because only together they show
 * which components need a second name for responses, with the suffix `Output`.
 * @throws when one cannot be described, and names its file; when two schemas have the same id.
 */
export function collectSchemas(all: readonly Listed[]): Schemas {
  const registry = createRegistry();
  const listed = all.map(({ schema, direction: io, file = 'A schema' }, index) => {
    const json = registry.addSchema(schema, [file, String(index)], { io, source: { type: 'mediaType' } });
    return { schema, io, file, json };
  });
  // Fills in the components.
  const { schemas = {} } = createComponents(registry, { override: simplify });
  const converted = { input: new Map<unknown, Schema>(), output: new Map<unknown, Schema>() };
  for (const { schema, io, file, json } of listed) {
    converted[io].set(schema, finished(json, file));
  }
  const components = Object.entries(schemas).map(([id, json]) => [id, finished(json, id)]);
  return {
    schemaOf: (schema, direction) => converted[direction].get(schema) as Schema,
    components: () => Object.fromEntries(components),
  };
}

/** Removes keywords that say nothing, and keywords that would forbid new properties in responses. */
const simplify: ZodOpenApiOverride = ({ zodSchema, jsonSchema: json }) => {
  const definition = zodSchema._zod.def;
  if (definition.type === 'object' && definition.catchall === undefined) {
    delete json.additionalProperties;
  }
  if (json.maximum === Number.MAX_SAFE_INTEGER) {
    delete json.maximum;
  }
  if (json.minimum === Number.MIN_SAFE_INTEGER) {
    delete json.minimum;
  }
  if (isDeepStrictEqual(json.propertyNames, { type: 'string' })) {
    delete json.propertyNames;
  }
  if (json.format === 'date') {
    // Without the regular expression for the calendar with its leap years, which nobody reads.
    delete json.pattern;
  }
  if (definition.type === 'string' && json.anyOf !== undefined) {
    // Each form in its `.meta({ anyOf })` has the type.
    delete json.type;
  }
};

/** Adds each field's description to the field, and shortens "or null". @throws with `where` in front. */
function finished(json: unknown, where: string): Schema {
  try {
    return JSON.parse(JSON.stringify(json), (_, value) => inFewWords(value)) as Schema;
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

function inFewWords(value: unknown): unknown {
  const schema = value as (Schema & { descriptions?: Descriptions }) | null;
  if (typeof schema?.descriptions === 'object' && schema.type === 'object') {
    const { descriptions, ...rest } = schema;
    return withDescriptions(rest, descriptions);
  }
  const [one, other, ...more] = (Array.isArray(schema?.anyOf) ? schema.anyOf : []) as (Schema | undefined)[];
  if (one?.type === 'string' && one.enum === undefined && other?.type === 'null' && more.length === 0) {
    const { anyOf: _, ...rest } = schema as Schema;
    return { ...rest, ...one, type: ['string', 'null'] };
  }
  if (Array.isArray(one?.anyOf) && Object.keys(one).length === 1 && other?.type === 'null') {
    return { ...schema, anyOf: [...one.anyOf, other, ...more] };
  }
  return value;
}

/** The meaning of an object's fields, by name. */
export type Descriptions = Readonly<Record<string, string>>;

/** Adds descriptions to an object's fields. @throws when a name is not a field of the object. */
export function withDescriptions(schema: Schema, descriptions: Descriptions): Schema {
  const properties = { ...(schema.properties as Record<string, Schema> | undefined) };
  for (const [name, description] of Object.entries(descriptions)) {
    if (properties[name] === undefined) {
      throw new Error(
        `"${name}" has a description, but is not a field of ${Object.keys(properties).join(', ')}.`,
      );
    }
    properties[name] = { ...properties[name], description };
  }
  return { ...schema, properties };
}

/**
 * The schema of a request with its defaults in words. Generators assume that a property with a `default` is always there: true
 * for a response, but clients would have to send what they may leave out.
 */
export function withDefaultsInWords(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (!isSchemaWithDefault(value)) {
      return value;
    }
    const { default: usual, ...rest } = value;
    const words = typeof usual === 'string' ? usual : JSON.stringify(usual);
    const said = words === '' ? 'Empty by default.' : `Default: \`${words}\`.`;
    return { ...rest, description: [rest.description, said].filter(Boolean).join(' ') };
  }) as Schema;
}

function isSchemaWithDefault(value: unknown): value is Schema {
  return (
    typeof value === 'object' &&
    value !== null &&
    'default' in value &&
    ['type', 'anyOf', '$ref'].some((key) => key in value)
  );
}
