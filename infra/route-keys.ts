import type { Operation } from '../shared/kernel/operation.ts';

/** The route keys of an operation at the gateway: its own route, and `HEAD` of its path if it takes that, too. */
export function routeKeys({ route, answersHead = false }: Operation): string[] {
  return answersHead ? [route, route.replace(/^GET /, 'HEAD ')] : [route];
}

/** The route key without the names of its parameters: routes that differ only in these are the same to the gateway. */
export function withoutParameterNames(routeKey: string): string {
  return routeKey.replaceAll(/\{[^}]+\}/g, '{}');
}
