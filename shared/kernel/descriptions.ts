import * as z from 'zod/mini';

/** What each field of an object means, in a few words of plain English. */
export type Descriptions<S> =
  S extends z.ZodMiniObject<infer Shape> ? { readonly [Field in keyof Shape]: string } : unknown;

/** What the documentation says of a schema beside its fields. */
interface About {
  /** The name by which the documentation shows the schema once, for all that use it. */
  readonly id?: string;
  readonly description?: string;
}

/**
 * The object, new as it is, with what its fields mean, for the documentation. A field without a description does not compile.
 * It is noted of the schema itself: a copy, as `z.meta` makes one, would cost every cold start.
 */
export function described<S extends z.ZodMiniObject>(
  schema: S,
  descriptions: Descriptions<S>,
  about: About = {},
): S {
  z.globalRegistry.add(schema, { ...about, descriptions });
  return schema;
}
