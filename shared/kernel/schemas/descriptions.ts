import * as z from 'zod/mini';

/** The meaning of each field of an object, in a few words of plain English. */
export type Descriptions<S> =
  S extends z.ZodMiniObject<infer Shape> ? { readonly [Field in keyof Shape]: string } : unknown;

type Alternatives = readonly Readonly<Record<string, unknown>>[];

/** The documentation of a schema beside its fields. */
interface About {
  /** The schema's name in the documentation, which then shows it once for all that use it. */
  readonly id?: string;
  readonly description?: string;
  readonly examples?: unknown[];
  /** The demands of its checks as alternatives in JSON Schema: that some of its fields are there, or exactly one. */
  readonly anyOf?: Alternatives;
  readonly oneOf?: Alternatives;
  /** The values that they refuse. */
  readonly not?: Readonly<Record<string, unknown>>;
  /** How many of its fields must be there. */
  readonly minProperties?: number;
}

/**
 * Registers what the fields of an object mean, for the documentation, and returns the same object: a copy, as `z.meta` makes one,
 * would lengthen every cold start. A field without a description does not compile.
 */
export function described<S extends z.ZodMiniObject>(
  schema: S,
  descriptions: Descriptions<S>,
  about: About = {},
): S {
  z.globalRegistry.add(schema, { ...about, descriptions });
  return schema;
}
