/**
 * A part of an OpenAPI document with its references resolved. Our document refers only to itself, so this takes milliseconds;
 * Swagger UI's resolver for all dialects and other documents takes seconds each time an operation is opened. A schema that
 * contains itself stays a reference.
 */
export function resolvedPart(document: unknown, path: readonly string[]): unknown {
  return resolved(valueAt(document, path), document, []);
}

function resolved(value: unknown, document: unknown, within: readonly string[]): unknown {
  if (Array.isArray(value)) {
    return value.map((member) => resolved(member, document, within));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const { $ref, ...siblings } = value as Record<string, unknown>;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, resolved(member, document, within)]),
    );
  }
  if (within.includes($ref)) {
    return value;
  }
  const target = resolved(valueAt(document, stepsOf($ref)), document, [...within, $ref]);
  // Swagger UI takes the name of a schema from `$$ref`.
  return { ...(target as object), ...siblings, $$ref: $ref };
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
}

/** The steps to `#/components/schemas/Contact`. Source: RFC 6901. */
function stepsOf(reference: string): string[] {
  return reference
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}
