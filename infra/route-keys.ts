import type { Operation } from '../shared/kernel/operation.ts';

/** The gateway's names for the routes of an operation: its own, and `HEAD` of its path if it answers that too. */
export function routeKeys({ route, answersHead = false }: Operation): string[] {
  return answersHead ? [route, route.replace(/^GET /, 'HEAD ')] : [route];
}

/** What the gateway takes for the same route: for it, routes that differ in the names of parameters are one. */
export function withoutParameterNames(routeKey: string): string {
  return routeKey.replaceAll(/\{[^}]+\}/g, '{}');
}
