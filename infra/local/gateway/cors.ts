import type { OutgoingHttpHeaders } from 'node:http';
import type { CorsPlan } from './api-plan.ts';

/** The headers of a response to a page of any origin. */
export function corsHeaders({ ExposeHeaders }: CorsPlan): OutgoingHttpHeaders {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': ExposeHeaders.join(','),
  };
}

/** The headers of the response to a preflight request, beside those of every response. */
export function preflightHeaders({ AllowMethods, AllowHeaders, MaxAge }: CorsPlan): OutgoingHttpHeaders {
  return {
    'access-control-allow-methods': AllowMethods.join(','),
    'access-control-allow-headers': AllowHeaders.join(','),
    'access-control-max-age': String(MaxAge),
  };
}

/** An API with CORS ignores the CORS headers of its functions. */
export function isCorsHeader(name: string): boolean {
  return name.startsWith('access-control-');
}
