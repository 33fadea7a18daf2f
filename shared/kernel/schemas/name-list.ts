import * as z from 'zod/mini';
import { orEmpty } from './fields.ts';

/** Some of these names in a query string, separated by commas. Another name is a 400. */
export function nameList<Name extends string>(names: readonly Name[]) {
  const isKnown = (text: string) =>
    text.split(',').every((part) => names.some((name) => name === part.trim()));
  return z.pipe(
    orEmpty(
      z
        .string()
        .check(z.refine(isKnown, `must have only these names, separated by commas: ${names.join(', ')}`)),
    ),
    z.transform((text) => text.split(',').map((part) => part.trim() as Name)),
  );
}
