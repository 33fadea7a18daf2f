import type { OutgoingHttpHeaders } from 'node:http';
import type { CorsPlan } from './api-plan.ts';

/** The headers that a response to this origin gets; none when the origin is not allowed. */
export function corsHeaders(cors: CorsPlan, origin: string): OutgoingHttpHeaders {
  const allowed = allowedOrigin(cors, origin);
  if (allowed === undefined) {
    return {};
  }
  return {
    'access-control-allow-origin': allowed,
    ...(cors.AllowCredentials && { 'access-control-allow-credentials': 'true' }),
    ...(cors.ExposeHeaders.length > 0 && { 'access-control-expose-headers': cors.ExposeHeaders.join(',') }),
  };
}

/** The headers of the answer to a preflight request. */
export function preflightHeaders(cors: CorsPlan, origin: string): OutgoingHttpHeaders {
  if (allowedOrigin(cors, origin) === undefined) {
    return {};
  }
  return {
    ...corsHeaders(cors, origin),
    ...(cors.AllowMethods.length > 0 && { 'access-control-allow-methods': cors.AllowMethods.join(',') }),
    ...(cors.AllowHeaders.length > 0 && { 'access-control-allow-headers': cors.AllowHeaders.join(',') }),
    ...(cors.MaxAge !== undefined && { 'access-control-max-age': String(cors.MaxAge) }),
  };
}

/** An API with CORS ignores what its functions say about it. */
export function withoutCorsHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('access-control-')),
  );
}

function allowedOrigin({ AllowOrigins }: CorsPlan, origin: string): string | undefined {
  if (AllowOrigins.includes('*')) {
    return '*';
  }
  const isAllowed = AllowOrigins.some((allowed) =>
    allowed.endsWith('://*') ? origin.startsWith(allowed.slice(0, -1)) : allowed === origin,
  );
  return isAllowed ? origin : undefined;
}
