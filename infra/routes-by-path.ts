import { ofKind, type Registered } from './registry.ts';

/** The methods that each path of the API has, sorted: `{"/api/contacts/{id}": ["DELETE", "GET", "PUT"]}`. */
export function routesByPath(operations: readonly Registered[]): Record<string, string[]> {
  const methods: Record<string, string[]> = {};
  for (const { operation } of ofKind(operations, 'http')) {
    const [method = '', path] = operation.route.split(' ');
    if (path !== undefined) {
      methods[path] = [...(methods[path] ?? []), method].sort();
    }
  }
  return methods;
}
