import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { HostLog } from '../host-log.ts';
import { limitTime, TimeLimitExceeded, unlessDebugged } from '../time-limit.ts';
import { RequestTooLarge } from '../workers/function-error.ts';
import type { HttpApiPlan, HttpRoutePlan } from './api-plan.ts';
import { Authorizers } from './authorizer.ts';
import { corsHeaders, isCorsHeader, preflightHeaders } from './cors.ts';
import { gatewayId, httpEvent, type RoutedRequest, requestHeaders } from './http-event.ts';
import { gatewayResponse, type HttpResponse, httpResponse, internalServerError } from './http-response.ts';
import { type RouteMatch, routeTable } from './routes.ts';

/** API Gateway takes bodies of up to 10 MB. */
const maxBodyBytes = 10 * 1024 * 1024;

export interface HttpApiOptions {
  invoke(functionName: string, event: unknown): Promise<unknown>;
  log: HostLog;
}

/** An HTTP API with Lambda integrations of payload format 2.0 on its stage `$default`. */
export class HttpApi {
  readonly #plan: HttpApiPlan;
  readonly #options: HttpApiOptions;
  readonly #find: (method: string, path: string) => RouteMatch<HttpRoutePlan> | undefined;
  readonly #authorizers: Authorizers;

  constructor(plan: HttpApiPlan, options: HttpApiOptions) {
    this.#options = options;
    this.#plan = plan;
    this.#find = routeTable(plan.routes);
    this.#authorizers = new Authorizers(options.invoke);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = gatewayId();
    const [path, query] = splitOnce(request.url ?? '/', '?');
    this.#options.log.arrived({ requestId, method: request.method ?? '', path });
    const target = { requestId, path, query };
    const { status, headers, body } = await this.#respond(request, target).catch(internalServerError);
    response.writeHead(status, this.#headers(request, headers, bodyLength(request, status, body), requestId));
    response.end(request.method === 'HEAD' ? undefined : body);
    this.#options.log.answered(requestId, status);
  }

  #headers(
    request: IncomingMessage,
    fields: OutgoingHttpHeaders,
    length: number | undefined,
    requestId: string,
  ): OutgoingHttpHeaders {
    const headers: OutgoingHttpHeaders = {};
    for (const name in fields) {
      if (!isCorsHeader(name)) {
        headers[name] = fields[name];
      }
    }
    if (request.headers.origin !== undefined) {
      Object.assign(headers, corsHeaders(this.#plan.cors));
    }
    if (isPreflight(request)) {
      Object.assign(headers, preflightHeaders(this.#plan.cors));
    }
    if (length !== undefined) {
      headers['content-length'] = length;
    }
    headers['apigw-requestid'] = requestId;
    return headers;
  }

  async #respond(
    request: IncomingMessage,
    { requestId, path, query }: Pick<RoutedRequest, 'requestId' | 'path' | 'query'>,
  ): Promise<HttpResponse> {
    const body = hasBody(request) ? await bodyOf(request) : nothing;
    if (!body) {
      return gatewayResponse(413, 'Request Entity Too Large');
    }
    const found = this.#find(request.method ?? '', path);
    // The gateway responds to a preflight request itself only where no route takes OPTIONS. `$default` does: then its function
    // responds, and `handle` adds the headers that the browser needs.
    if (!found && isPreflight(request)) {
      return { status: 204, headers: {}, body: '' };
    }
    if (!found) {
      return gatewayResponse(404, 'Not Found');
    }
    const { route, parameters } = found;
    const { id: apiId } = this.#plan;
    const routed: RoutedRequest = {
      request,
      headers: requestHeaders(request),
      path,
      query,
      body,
      requestId,
      apiId,
      routeKey: route.key,
      parameters,
      time: Date.now(),
    };
    if (!route.authorizer) {
      return this.#integrate(route, httpEvent(routed, undefined));
    }
    const decision = await this.#authorizers.decide(route.authorizer, routed);
    switch (decision.verdict) {
      case 'allowed':
        return this.#integrate(route, httpEvent(routed, decision.context));
      case 'unauthorized':
        return gatewayResponse(401, 'Unauthorized');
      case 'forbidden':
        return gatewayResponse(403, 'Forbidden');
      case 'broken':
        return internalServerError();
    }
  }

  async #integrate(route: HttpRoutePlan, event: unknown): Promise<HttpResponse> {
    try {
      return httpResponse(
        await limitTime(
          unlessDebugged(route.timeoutMilliseconds),
          this.#options.invoke(route.functionName, event),
        ),
      );
    } catch (error) {
      if (error instanceof TimeLimitExceeded) {
        return gatewayResponse(503, 'Service Unavailable');
      }
      if (error instanceof RequestTooLarge) {
        return gatewayResponse(413, 'Request Entity Too Large');
      }
      throw error;
    }
  }
}

/** The response's content-length, if it has one. By RFC 9110, 8.6, it must not be 0 for HEAD when GET would have a body. */
function bodyLength({ method }: IncomingMessage, status: number, body: string | Buffer): number | undefined {
  const saysNothing = status === 204 || status === 304 || (method === 'HEAD' && body.length === 0);
  return saysNothing ? undefined : Buffer.byteLength(body);
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers;
}

const nothing = Buffer.alloc(0);

/** Whether a body follows the headers. Source: RFC 9112, 6.3. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The whole body; undefined when it is longer than the gateway takes. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    // A body that is too long is still read to its end, so that the client reads the response.
    if (length <= maxBodyBytes) {
      chunks.push(chunk);
    }
  });
  const ended = Promise.withResolvers<void>();
  request.on('end', ended.resolve).on('error', ended.reject).on('close', ended.reject);
  await ended.promise;
  return length <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
