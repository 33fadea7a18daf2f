import type { Operation } from '../shared/kernel/operation.ts';

/** The routes that lead to an operation, as the gateway names them: its own, and `HEAD` of its path if it answers that too. */
export function routeKeys({ route, answersHead = false }: Operation): string[] {
  return answersHead ? [route, route.replace(/^GET /, 'HEAD ')] : [route];
}
