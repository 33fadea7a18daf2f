import { ofKind, type Registered } from './registry.ts';
import { routeKeys } from './route-keys.ts';

/** The sorted methods of each path: `{"/api/contacts/{id}": ["DELETE", "GET", "PUT"]}`. */
export function routesByPath(operations: readonly Registered[]): Record<string, string[]> {
  const methods: Record<string, string[]> = {};
  for (const { operation } of ofKind(operations, 'http')) {
    for (const key of routeKeys(operation)) {
      const [method = '', path] = key.split(' ');
      if (path !== undefined) {
        methods[path] = [...(methods[path] ?? []), method].sort();
      }
    }
  }
  return methods;
}
