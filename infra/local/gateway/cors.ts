import type { OutgoingHttpHeaders } from 'node:http';
import type { CorsPlan } from './api-plan.ts';

/** The headers of a response to a page of any origin. */
export function corsHeaders({ exposeHeaders }: CorsPlan): OutgoingHttpHeaders {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposeHeaders.join(','),
  };
}

/** The headers of the response to a preflight request, beside those of every response. */
export function preflightHeaders({ allowMethods, allowHeaders, maxAge }: CorsPlan): OutgoingHttpHeaders {
  return {
    'access-control-allow-methods': allowMethods.join(','),
    'access-control-allow-headers': allowHeaders.join(','),
    'access-control-max-age': String(maxAge),
  };
}

/** An API with CORS ignores the CORS headers of its functions. */
export function isCorsHeader(name: string): boolean {
  return name.startsWith('access-control-');
}
