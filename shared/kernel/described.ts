import * as z from 'zod/mini';

/** What each field of an object means, in a few words of plain English. */
export type Meanings<S> =
  S extends z.ZodMiniObject<infer Shape> ? { readonly [Field in keyof Shape]: string } : unknown;

/** What the documentation says of a schema beside its fields. */
interface About {
  /** The name by which the documentation shows the schema once, for all that use it. */
  readonly id?: string;
  readonly description?: string;
}

/** The object with what its fields mean, for the documentation. A field without a meaning does not compile. */
export function described<S extends z.ZodMiniObject>(schema: S, meanings: Meanings<S>, about: About = {}): S {
  return schema.check(z.meta({ ...about, meanings }));
}
