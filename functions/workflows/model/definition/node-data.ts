import * as z from 'zod/mini';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { parsed } from '../../../../shared/kernel/http/invalid.ts';
import { withPlainNumbers } from '../../../../shared/kernel/http/plain-numbers.ts';
import { withoutNulls } from '../../../../shared/kernel/http/without-nulls.ts';

type Read<S extends z.ZodMiniType> = ReturnType<typeof z.safeParse<S>>;

/**
 * By the data and the schema: a graph is read for its problems, its plan and its references, and a plan at each step. Data of graphs and
 * plans never changes.
 */
const known = new WeakMap<object, Map<z.ZodMiniType, unknown>>();

/** A node's data as its schema reads it; null for an optional field is as if it were absent. */
export function readData<S extends z.ZodMiniType>(schema: S, data: unknown): Read<S> {
  const owner = typeof data === 'object' && data !== null ? data : {};
  const bySchema = known.get(owner) ?? new Map<z.ZodMiniType, unknown>();
  known.set(owner, bySchema);
  const read = (bySchema.get(schema) as Read<S> | undefined) ?? z.safeParse(schema, taken(schema, data));
  bySchema.set(schema, read);
  return read;
}

/** The same, or what is wrong with the data, in a sentence that names each path. */
export function readDataOrIssue<S extends z.ZodMiniType>(
  schema: S,
  data: unknown,
): { readonly data: z.output<S> } | { readonly issue: string } {
  const read = readData(schema, data);
  if (read.success) {
    return { data: read.data };
  }
  try {
    return { data: parsed(schema, taken(schema, data), 'data') };
  } catch (error) {
    if (error instanceof Failure) {
      return { issue: error.message };
    }
    throw error;
  }
}

/** The data without meaningless nulls, and with doubles where the schema describes numbers. */
const taken = (schema: z.ZodMiniType, data: unknown): unknown =>
  withoutNulls(schema, withPlainNumbers(schema, data));

export const isIssue = (read: object): read is { readonly issue: string } => 'issue' in read;
