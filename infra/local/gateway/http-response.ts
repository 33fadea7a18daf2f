import type { OutgoingHttpHeaders } from 'node:http';

/** A response as the gateway sends it. */
export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
}

/** One of the gateway's own responses, for example 404 `{"message":"Not Found"}`. */
export function gatewayResponse(status: number, message: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  };
}

export const internalServerError = () => gatewayResponse(500, 'Internal Server Error');

/**
 * The response for the result of a function, by payload format 2.0: a structured response if the result has a `statusCode`, otherwise 200
 * with the result as JSON. An invalid structured response becomes 500, as on API Gateway.
 */
export function httpResponse(result: unknown): HttpResponse {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const body = typeof result === 'string' ? result : JSON.stringify(result);
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  const isValid =
    Number.isInteger(status) &&
    status >= 200 &&
    status <= 599 &&
    isHeaders(headers ?? {}) &&
    (cookies == null || (Array.isArray(cookies) && cookies.every((cookie) => typeof cookie === 'string'))) &&
    (body == null || typeof body === 'string');
  if (!isValid) {
    return internalServerError();
  }

  const text = (body ?? '') as string;
  const all: OutgoingHttpHeaders = { 'content-type': 'text/plain;charset=UTF-8' };
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, unknown>)) {
    all[name.toLowerCase()] = String(value);
  }
  if (cookies != null) {
    all['set-cookie'] = cookies as string[];
  }
  return {
    status,
    headers: all,
    body: isBase64Encoded === true ? Buffer.from(text, 'base64') : text,
  };
}

function isHeaders(headers: unknown): boolean {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    return false;
  }
  return Object.values(headers).every((value) => /^(string|number|boolean)$/.test(typeof value));
}
