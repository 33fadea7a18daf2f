import type { Json } from '../harness/json.ts';

/**
 * An OpenAPI document with these operations alone, what they refer to, and no introduction: a page shows it in a fraction of the time.
 * @throws when it does not have one of them.
 */
export function excerptAround(
  { paths, tags, components, info, ...rest }: Json,
  operationIds: readonly string[],
): Json {
  const found: [path: string, method: string, operation: Json][] = Object.entries<Json>(paths).flatMap(
    ([path, methods]) =>
      Object.entries<Json>(methods)
        .filter(([, { operationId }]) => operationIds.includes(operationId))
        .map(([method, operation]): [string, string, Json] => [path, method, operation]),
  );
  const missing = operationIds.filter((id) => !found.some(([, , { operationId }]) => operationId === id));
  if (missing.length > 0) {
    throw new Error(`The document has no ${missing.join(', ')}.`);
  }
  const shown: Json = {
    info: { ...info, description: '' },
    paths: Object.fromEntries(found.map(([path, method, operation]) => [path, { [method]: operation }])),
    tags: tags.filter(({ name }: Json) => found.some(([, , operation]) => operation.tags.includes(name))),
    components: { securitySchemes: components.securitySchemes },
  };
  for (let next: unknown[] = [shown.paths]; next.length > 0; ) {
    const text = JSON.stringify(next);
    next = [];
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)) {
      if (shown.components[kind]?.[name] === undefined) {
        shown.components[kind] = { ...shown.components[kind], [name]: components[kind][name] };
        next.push(components[kind][name]);
      }
    }
  }
  return { ...rest, ...shown };
}
