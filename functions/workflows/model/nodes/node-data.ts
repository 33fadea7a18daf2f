import * as z from 'zod/mini';
import { withoutNulls } from '../../../../shared/kernel/without-nulls.ts';

/** What somebody wrote into a graph, as its schema reads it; null for an optional field is as if it were absent. */
export function readData<S extends z.ZodMiniType>(schema: S, data: unknown) {
  return z.safeParse(schema, withoutNulls(schema, data));
}
