import type * as z from 'zod/mini';
import { Failure } from './failure.ts';
import { parsed } from './invalid.ts';

/** Unknown parameters named in one answer, and the characters of each that are shown; more would not be read. */
const limits = { names: 5, characters: 60 };

/**
 * The query of a request as the operation understands it; undefined for an operation without one. A parameter that the
 * operation does not know is refused, since its answer would not be what was asked for. A loose schema takes any.
 * @throws a 400 `Failure` that names each parameter at fault.
 */
export function readQuery(
  schema: z.ZodMiniObject | undefined,
  sent: Readonly<Record<string, string | undefined>>,
): unknown {
  if (!takesAnyQuery(schema)) {
    refuseUnknown(Object.keys(schema?.shape ?? {}), Object.keys(sent));
  }
  return schema && parsed(schema, sent, 'query');
}

/** True for a query that may hold more than is described. */
export function takesAnyQuery(schema: z.ZodMiniObject | undefined): boolean {
  return schema?._zod.def.catchall?._zod.def.type === 'unknown';
}

function refuseUnknown(known: readonly string[], sent: readonly string[]): void {
  const unknown = sent.filter((name) => !known.includes(name)).slice(0, limits.names);
  if (unknown.length > 0) {
    const problem =
      unknown.length === 1
        ? `${shown(unknown)} is not a query parameter of this operation.`
        : `${shown(unknown)} are not query parameters of this operation.`;
    throw new Failure('INVALID', `${problem} It takes ${known.length === 0 ? 'none' : shown(known)}.`);
  }
}

/** `limit, cursor and type` */
function shown(names: readonly string[]): string {
  const [last = '', ...others] = names.map(shortened).reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length > limits.characters
    ? `${characters.slice(0, limits.characters).join('')}…`
    : name || '""';
}
