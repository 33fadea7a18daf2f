import type { Tool } from './tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The headers of a message that its requests have, too. */
const passedOn = ['authorization', 'idempotency-key', 'traceparent'];

/**
 * The request to the operation of a tool with these arguments, in the name of whoever sent the message.
 * @returns the name of the argument that is missing from the path or cannot be a part of one, in place of a request.
 */
export function toolRequest(
  { operation: { route }, queryNames, hasBody }: Tool,
  given: Arguments,
  {
    origin,
    headers,
  }: { readonly origin: string; readonly headers: Readonly<Record<string, string | undefined>> },
): Request | { readonly missing: string } {
  const [method = '', template = ''] = route.split(' ');
  const rest = new Map(Object.entries(given));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const inPath = new Map(
    [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, asText(take(name))]),
  );
  const [missing] = [...inPath].find(([, text]) => !isSegment(text)) ?? [];
  if (missing !== undefined) {
    return { missing };
  }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name) ?? ''));
  // Without a body, an argument that is unknown is in the query: the operation refuses it by its name.
  const inQuery = hasBody ? queryNames : [...rest.keys()];
  const query = new URLSearchParams(
    inQuery.map((name) => [name, asText(take(name))]).filter(([, text]) => text !== '') as [string, string][],
  );
  return new Request(`${origin}${path}${query.size === 0 ? '' : `?${query}`}`, {
    method,
    headers: [
      ...passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
      ...(hasBody ? [['content-type', 'application/json']] : []),
    ] as [string, string][],
    ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
  });
}

/** Lists in a query are separated by commas; null and an empty text say as much as nothing. */
function asText(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(asText).join(',');
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** Whether the text stays one segment of a path: an address with `..` in it would be the address of another operation. */
const isSegment = (text: string) => !/^\.{0,2}$/.test(text);
