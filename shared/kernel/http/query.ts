import type * as z from 'zod/mini';
import { Failure } from '../failure.ts';
import { normalized } from '../normal-form.ts';
import { parsed } from './invalid.ts';
import { listed } from './listed.ts';
import { withoutNulls } from './without-nulls.ts';

/** Unknown parameters listed in one response; nobody would read more. */
const maxNamed = 5;

/** Only such names are repeated in a response, so that no link can make the service show an attacker's text. */
const plainName = /^[\w.\-[\]]{1,60}$/;

/**
 * The query as the operation's schema parses it; undefined for an operation without one. Unknown parameters are refused, because
 * ignoring them would return something other than the client asked for. A loose schema takes any.
 * @param rawQuery the same as it was sent.
 * @throws a 400 `Failure` that names the invalid parameters.
 */
export function readQuery(
  schema: z.ZodMiniObject | undefined,
  sent: Readonly<Record<string, string | undefined>>,
  rawQuery = '',
): unknown {
  if (!takesAnyQuery(schema)) {
    refuseUnknown(Object.keys(schema?.shape ?? {}), Object.keys(sent));
  }
  return (
    schema && parsed(schema, withoutNulls(schema, withLists(schema, inNormalForm(sent), rawQuery)), 'query')
  );
}

/** With a list of all values of each parameter that takes one: the gateway joins them with commas, which a value may have itself. */
function withLists(
  { shape }: z.ZodMiniObject,
  sent: Readonly<Record<string, string | undefined>>,
  rawQuery: string,
): object {
  const names = Object.keys(sent).filter((name) => shape[name] !== undefined && takesList(shape[name]));
  if (names.length === 0) {
    return sent;
  }
  const values = new URLSearchParams(rawQuery);
  return { ...sent, ...Object.fromEntries(names.map((name) => [name, values.getAll(name).map(normalized)])) };
}

function takesList(field: z.core.$ZodType): boolean {
  const { def } = (field as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'default':
      return takesList(def.innerType);
    case 'pipe':
      return takesList(def.in) || takesList(def.out);
    default:
      return def.type === 'array';
  }
}

/** Source: decisions 1, "Text". */
const inNormalForm = (sent: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value && normalized(value)]));

/** Whether the schema is a loose one, which takes more than it describes. */
export function takesAnyQuery(schema: z.ZodMiniObject | undefined): boolean {
  return schema?._zod.def.catchall?._zod.def.type === 'unknown';
}

function refuseUnknown(known: readonly string[], sent: readonly string[]): void {
  const unknown = sent.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const named = unknown.filter((name) => plainName.test(name)).slice(0, maxNamed);
    throw new Failure(
      'INVALID',
      `${problemOf(named)} It takes ${known.length === 0 ? 'none' : listed(known)}.`,
    );
  }
}

function problemOf(named: readonly string[]): string {
  if (named.length === 0) {
    return 'The request has an unknown query parameter.';
  }
  return named.length === 1
    ? `${listed(named)} is not a query parameter of this operation.`
    : `${listed(named)} are not query parameters of this operation.`;
}
