import { randomUUID } from 'node:crypto';
import type { Call } from './call.ts';

/** The host name in the URLs of requests. */
export const domainName = 'api.switchboard.test';

/** The event that the gateway passes to the function of a route, with the context of its authorizer. */
export function gatewayEvent(route: string, call: Call, lambda: Record<string, unknown> | undefined) {
  const { path: pathParameters = {}, query = {}, body, headers = {}, sourceIp = randomSourceIp() } = call;
  const search = new URLSearchParams(
    [...Object.entries(query), ...(call.repeated ?? [])].map(([...pair]) => pair),
  );
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const [method, path] = requestLine(route, pathParameters);
  return {
    rawPath: path,
    rawQueryString: search.toString(),
    headers,
    pathParameters,
    queryStringParameters: Object.fromEntries(
      [...new Set(search.keys())].map((name) => [name, search.getAll(name).join(',')]),
    ),
    ...(sent === undefined ? {} : { body: sent }),
    requestContext: {
      requestId: randomUUID(),
      domainName,
      http: { method, path, sourceIp },
      ...(lambda === undefined ? {} : { authorizer: { lambda } }),
    },
  };
}

/** The method and the path of a call. */
function requestLine(route: string, parameters: Record<string, string>): [method: string, path: string] {
  const [method = '', path = ''] = route === '$default' ? ['GET', '/nowhere'] : route.split(' ');
  return [method, path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => parameters[name] ?? '')];
}

/** Another address each time, so that no test is slowed by the login throttle of another. */
function randomSourceIp(): string {
  return `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;
}
