/**
 * A part of an OpenAPI document with its references replaced by what they refer to. Our document refers to itself only, so
 * this takes milliseconds; what Swagger UI brings for every dialect and for other documents takes seconds each time an
 * operation is opened. What contains itself stays a reference.
 */
export function resolvedPart(document: unknown, path: readonly string[]): unknown {
  return resolved(valueAt(document, path), document, []);
}

function resolved(value: unknown, document: unknown, within: readonly string[]): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => resolved(one, document, within));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const { $ref, ...siblings } = value as Record<string, unknown>;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, resolved(one, document, within)]),
    );
  }
  if (within.includes($ref)) {
    return value;
  }
  const target = resolved(valueAt(document, stepsOf($ref)), document, [...within, $ref]);
  // By `$$ref` Swagger UI knows the name of a schema.
  return { ...(target as object), ...siblings, $$ref: $ref };
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
}

/** `#/components/schemas/Contact` as the steps to it. Source: RFC 6901. */
function stepsOf(reference: string): string[] {
  return reference
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}
