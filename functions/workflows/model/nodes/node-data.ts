import * as z from 'zod/mini';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { parsed } from '../../../../shared/kernel/http/invalid.ts';
import { withoutNulls } from '../../../../shared/kernel/http/without-nulls.ts';

/** What somebody wrote into a graph, as its schema reads it; null for an optional field is as if it were absent. */
export function readData<S extends z.ZodMiniType>(schema: S, data: unknown) {
  return z.safeParse(schema, withoutNulls(schema, data));
}

/** The same, or what is wrong with it, in words that name each path. */
export function issuesOf<S extends z.ZodMiniType>(
  schema: S,
  data: unknown,
): { readonly data: z.output<S> } | { readonly issue: string } {
  try {
    return { data: parsed(schema, withoutNulls(schema, data), 'data') };
  } catch (error) {
    if (error instanceof Failure) {
      return { issue: error.message };
    }
    throw error;
  }
}

export const isIssue = (read: object): read is { readonly issue: string } => 'issue' in read;
