import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayRequestAuthorizerEventV2 } from 'aws-lambda';
import { account, region } from '../template/intrinsics.ts';
import { decoded } from './routes.ts';

/** A request for which the gateway has found a route. */
export interface RoutedRequest {
  request: IncomingMessage;
  /** As the client sent them, see `requestHeaders`. */
  headers: Readonly<Record<string, string>>;
  path: string;
  query: string;
  body: Buffer;
  requestId: string;
  apiId: string;
  routeKey: string;
  parameters: Record<string, string>;
  /** Milliseconds since 1970. */
  time: number;
}

type Common = Omit<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>;

/** The event of payload format 2.0 that the integration's function gets. */
export function httpEvent(routed: RoutedRequest, authorizerContext: unknown): APIGatewayProxyEventV2 {
  const { requestContext, ...event } = common(routed);
  const { body } = routed;
  const isText = isTextType(routed.headers['content-type']);
  return {
    ...event,
    requestContext: {
      ...requestContext,
      ...(authorizerContext !== undefined && { authorizer: { lambda: authorizerContext } }),
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** The event that a Lambda authorizer gets for the same request. */
export function authorizerEvent(
  routed: RoutedRequest,
  identitySource: string[],
): APIGatewayRequestAuthorizerEventV2 {
  const { version, routeKey, requestContext, ...rest } = common(routed);
  const { method, path } = requestContext.http;
  return {
    version,
    type: 'REQUEST',
    routeArn: `arn:aws:execute-api:${region}:${account}:${routed.apiId}/$default/${method}${path}`,
    identitySource,
    routeKey,
    ...rest,
    requestContext,
  } as APIGatewayRequestAuthorizerEventV2;
}

function common(routed: RoutedRequest): Common {
  const { request, query, requestId, apiId, routeKey, parameters, time } = routed;
  const { cookie, ...headers } = routed.headers;
  const path = decodedPath(routed.path);
  const domainName = headers.host ?? '';
  const client = sourceIp(request);
  const forwarded = headers['x-forwarded-for'];
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers: {
      ...headers,
      'x-amzn-trace-id': traceId(time),
      'x-forwarded-for': forwarded === undefined ? client : `${forwarded}, ${client}`,
      'x-forwarded-port': String(request.socket.localPort),
      // A tunnel to this machine terminates TLS for the gateway: its client used, and perhaps signed, an https URL.
      'x-forwarded-proto': headers['x-forwarded-proto'] === 'https' ? 'https' : 'http',
    },
    ...(query !== '' && { queryStringParameters: joinedValues(new URLSearchParams(query)) }),
    requestContext: {
      accountId: account,
      apiId,
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method: request.method ?? '',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: client,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey,
      stage: '$default',
      time: accessLogTime(time),
      timeEpoch: time,
    },
    ...(Object.keys(parameters).length > 0 && { pathParameters: parameters }),
  };
}

/** The headers that the client sent: names in lower case, values of a repeated one joined by commas, cookies by semicolons. */
export function requestHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>; // A client may name a header `__proto__`.
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const former = headers[name];
    headers[name] = former === undefined ? value : `${former}${name === 'cookie' ? '; ' : ','}${value}`;
  }
  return headers;
}

function joinedValues(search: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...new Set(search.keys())].map((name) => [name, search.getAll(name).join(',')]));
}

/** An HTTP API decodes every escape in a path except that of the percent sign. */
function decodedPath(path: string): string {
  return !path.includes('%') ? path : path.split('%25').map(decoded).join('%25');
}

/**
 * The content types whose bodies an HTTP API passes on as text. Every other body comes in base64, also a form and one without a content
 * type.
 */
function isTextType(contentType: string | undefined): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || /^application\/(json|xml|javascript)$/.test(type);
}

/** The address of the client, in IPv4 notation if it is an IPv4 address. */
export function sourceIp({ socket }: IncomingMessage): string {
  return socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
}

/** A random id of sixteen characters, in the form of API Gateway's own ids. */
export function gatewayId(): string {
  return `${randomBytes(11).toString('base64url')}=`;
}

/** For example `12/Mar/2020:19:03:58 +0000`. */
export function accessLogTime(time: number): string {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}

function traceId(time: number): string {
  return `Root=1-${Math.floor(time / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
}
