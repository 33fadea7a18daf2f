import * as z from 'zod/mini';

/** Fields with a secret that only the first response shows. */
const secrets = new WeakSet<z.ZodMiniType>();

/** Marks a field as a secret: a repeated response leaves it out. */
export function shownOnce<S extends z.ZodMiniType>(schema: S): z.ZodMiniOptional<S> {
  const field = z.optional(schema);
  secrets.add(field);
  return field;
}

/** Beside a secret: whether an earlier response has shown it. */
export const secretShown = () => z.optional(z.literal(true));
export const secretShownMeaning =
  'Whether an earlier response to the same request had the secret, which this one leaves out.';

/** The value without its secrets; `secretShown` is set in each object that had one. */
export function withoutSecrets(schema: z.ZodMiniType, value: unknown): unknown {
  if (!(schema instanceof z.ZodMiniObject) || typeof value !== 'object' || value === null) {
    return value;
  }
  const shape = schema.shape as Record<string, z.ZodMiniType>;
  const shown = Object.entries(value).filter(([name]) => {
    const field = shape[name];
    return field === undefined || !secrets.has(field);
  });
  const fields = shown.map(([name, one]) => {
    const field = shape[name];
    return [name, field === undefined ? one : withoutSecrets(field, one)] as const;
  });
  const hidesSecret = shown.length < Object.keys(value).length;
  return { ...Object.fromEntries(fields), ...(hidesSecret ? { secretShown: true } : {}) };
}
