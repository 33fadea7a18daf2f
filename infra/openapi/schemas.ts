import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export type Schema = z.core.JSONSchema.BaseSchema;

/** Requests are described as they are sent, responses as they are received: defaults and conversions make the difference. */
export type Direction = 'input' | 'output';

/** Converts the kernel's schemas into those of the document; one with `.meta({ id })` becomes a component. */
export interface Schemas {
  schemaOf(schema: z.core.$ZodType, direction: Direction): Schema;
  components(): Record<string, Schema>;
}

const definitions = '#/$defs/';
const components = '#/components/schemas/';

/** A reference to a component. */
export const componentSchema = (name: string): Schema => ({ $ref: components + name });

/** The suffix of a component whose requests differ from its responses. */
const sent = 'Input';

/** A schema of the document, with its operation's file for error messages. */
export interface Listed {
  readonly schema: z.core.$ZodType;
  readonly direction: Direction;
  readonly file?: string;
}

/**
 * The schemas of a document. `all` must hold every schema that `schemaOf` will be called with, because only together they show
 * which components need a second name for requests.
 * @throws when one cannot be described; the message names the file.
 */
export function schemasOf(all: readonly Listed[]): Schemas {
  const named = { input: new Map<string, Schema>(), output: new Map<string, Schema>() };
  for (const { schema, direction, file } of all) {
    for (const [id, definition] of Object.entries(definitionsOf(schema, direction, file))) {
      const known = named[direction].get(id);
      if (known !== undefined && !isDeepStrictEqual(known, definition)) {
        throw new Error(`Two different schemas have the id "${id}"; rename one in its .meta({ id }).`);
      }
      named[direction].set(id, definition);
    }
  }

  const twofold = twofoldIds(named.input, named.output);
  const nameOf = (id: string, direction: Direction) =>
    direction === 'input' && twofold.has(id) ? id + sent : id;
  const published = (schema: Schema, direction: Direction) =>
    withReferences(schema, (id) => components + nameOf(id, direction));

  return {
    schemaOf(schema, direction) {
      const { $schema: _dialect, $defs: _definitions, ...root } = jsonSchema(schema, direction);
      return published(root, direction);
    },
    components: () =>
      Object.fromEntries(
        (['output', 'input'] as const)
          .flatMap((direction) =>
            [...named[direction]].map(
              ([id, schema]) => [nameOf(id, direction), published(schema, direction)] as const,
            ),
          )
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  };
}

function definitionsOf(schema: z.core.$ZodType, direction: Direction, file?: string): Record<string, Schema> {
  try {
    return (jsonSchema(schema, direction).$defs ?? {}) as Record<string, Schema>;
  } catch (error) {
    throw file === undefined ? error : new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Ids whose input differs from their output, in themselves or in a component that they refer to. */
function twofoldIds(
  input: ReadonlyMap<string, Schema>,
  output: ReadonlyMap<string, Schema>,
): ReadonlySet<string> {
  const both = [...input].filter(([id]) => output.has(id));
  const twofold = new Set(
    both.filter(([id, schema]) => !isDeepStrictEqual(schema, output.get(id))).map(([id]) => id),
  );
  for (let size = -1; size !== twofold.size; ) {
    size = twofold.size;
    for (const [id, schema] of both) {
      withReferences(schema, (referred) => {
        if (twofold.has(referred)) {
          twofold.add(id);
        }
        return referred;
      });
    }
  }
  return twofold;
}

function withReferences(schema: Schema, rename: (id: string) => string): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(definitions)
      ? rename(value.slice(definitions.length))
      : value,
  ) as Schema;
}

function jsonSchema(schema: z.core.$ZodType, direction: Direction): Schema {
  const json = z.toJSONSchema(schema, {
    io: direction,
    override: ({ zodSchema, jsonSchema: one }) => simplify(zodSchema._zod.def, one),
  });
  // A schema used in many places is one object during conversion: only a copy can differ from place to place.
  return JSON.parse(JSON.stringify(json), (_, value: unknown) => finished(value)) as Schema;
}

/** Removes what says nothing, and what would forbid new properties in responses. */
function simplify(definition: z.core.$ZodTypeDef, json: Schema): void {
  if (definition.type === 'object' && (definition as z.core.$ZodObjectDef).catchall === undefined) {
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
    // A regular expression for the calendar with its leap years, which nobody reads.
    delete json.pattern;
  }
  if (definition.type === 'string' && json.anyOf !== undefined) {
    // Each form in its `.meta({ anyOf })` has the type.
    delete json.type;
  }
}

/** Adds each field's description to the field, and shortens "or null". */
function finished(value: unknown): unknown {
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
        `"${name}" has a description, but is no field of ${Object.keys(properties).join(', ')}.`,
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
    const said = words === '' ? 'Empty unless stated.' : `Default: \`${words}\`.`;
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
