import * as z from 'zod/mini';
import { type Caller, organizationNotFound } from '../caller.ts';
import { Failure, isCorrectable } from '../failure.ts';
import { accepts } from '../http/accepted-coding.ts';
import { Asset } from '../http/asset.ts';
import { assetResponse } from '../http/asset-response.ts';
import { runAsCurrentCaller } from '../http/current-caller.ts';
import type { HttpEvent, HttpResponse } from '../http/http-event.ts';
import { requestOf, schemeOf } from '../http/http-request.ts';
import { boundOrganization, identify } from '../http/identify.ts';
import { JsonText } from '../http/json-text.ts';
import { OtherResponse } from '../http/other-response.ts';
import { errorResponse, Oversized, type ResponseOptions, response } from '../http/response.ts';
import { traceOf } from '../http/traceparent.ts';
import type { Operation } from '../operation.ts';
import type { ErasedRequest } from '../request.ts';
import { timestamp } from '../time.ts';
import { callerRecordsIn, keptRequestsIn, sharesIn, usesOf } from '../uses.ts';
import { type Invocation, type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { gatewayLimit } from './invocation-limits.ts';
import type { runOrKeep } from './kept-request.ts';
import { errorFields, served } from './served.ts';

/**
 * The Lambda handler of an HTTP operation, from top to bottom: caller, request, run, response. It fails closed: an operation that
 * needs a caller gets its ports only after the claims passed the checks, and where the user's current role matters, nothing is written
 * and nothing is answered before that passed them, too.
 */
export function serveHttp(
  name: string,
  operation: Operation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
  keeping?: typeof runOrKeep,
): (event: HttpEvent, context?: unknown) => Promise<HttpResponse> {
  const finish = (result: HttpResponse, { clock, note }: Invocation) => {
    note({ status: result.statusCode, milliseconds: runtime.clock().getTime() - clock.now.getTime() });
    return result;
  };

  const serve = served<HttpEvent, HttpResponse>(
    { name, providers, runtime },
    {
      timeout: gatewayLimit,
      async run(event, invocation) {
        invocation.note({
          ...routeFields(operation, event),
          requestId: event.requestContext.requestId,
          ...traceOf(event.headers),
        });
        const claimed = identify(operation, event, invocation.clock.now);
        if (claimed !== undefined) {
          invocation.note({ organizationId: claimed.organizationId, userId: claimed.userId });
        }
        const { clock, deadline } = invocation;
        const organizationId = boundOrganization(operation, event, claimed);
        const respond = async (caller?: Caller, mayWrite?: Promise<void>) => {
          const ports = invocation.ports(usesOf(operation), caller, organizationId, mayWrite);
          const request = await requestOf(operation, event, { receivedAt: clock.now });
          await requireOrganization(caller, ports);
          const given = { ...ports, ...clock, caller, deadline };
          const run = withinShare(operation, caller, request, ports, () => operation.run(request, given));
          const { keeps } = operation;
          const output = await (keeps === undefined || keeping === undefined
            ? run()
            : keeping(run, {
                queue: keptRequestsIn(ports),
                kept: { route: operation.route, receivedAt: timestamp(clock.now), event },
                keeping: () => keeps(request),
                onKept: (error) => invocation.note({ kept: true, problem: error }),
                deadline,
              }));
          return responseTo(operation, output, event, request, given);
        };
        if (claimed === undefined) {
          return finish(await respond(), invocation);
        }
        const records = callerRecordsIn(
          invocation.ports({ callerRecords: 'check' }, claimed, organizationId),
        );
        return finish(
          await runAsCurrentCaller(operation, claimed, organizationId, records, respond),
          invocation,
        );
      },
      expects: isCorrectable,
      reasonOf,
      recover(error, event, invocation) {
        invocation.note(error instanceof Failure ? error.noted : {});
        return finish(
          errorResponse(error, operation.family, responseOptions(operation, event), operation.refusal),
          invocation,
        );
      },
    },
  );
  return async (event, context) => {
    if (operation.route === '$default' && isPreflight(event)) {
      return preflight;
    }
    const result = await serve(event, context);
    return event.requestContext.http.method === 'HEAD' ? withoutBody(result) : result;
  };
}

/**
 * What the log says about an error beside its status: everything about a defect; about a failure its cause, which the body does
 * not show.
 */
function reasonOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Failure)) {
    return { defect: errorFields(error) };
  }
  return error.cause === undefined ? {} : { cause: errorFields(error.cause) };
}

/** The response to HEAD: everything but the body of GET. Source: RFC 9110, 9.3.2. */
function withoutBody({ statusCode, headers }: HttpResponse): HttpResponse {
  return { statusCode, headers, body: '' };
}

/** A gateway with a `$default` route passes CORS preflights to it, and adds the CORS headers itself. */
const preflight: HttpResponse = { statusCode: 204, headers: {}, body: '' };

function isPreflight({ headers, requestContext }: HttpEvent): boolean {
  return requestContext.http.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** An id that the service has made. */
const madeId = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * The route and, if it has parameters, the path as the log may have it: with ids that the service has made, and with the names of all
 * other parameters, because their values may be phone numbers, or whatever a stranger types.
 */
function routeFields({ route }: Operation, event: HttpEvent): Record<string, string> {
  const { pathParameters = {}, requestContext } = event;
  const template = route.slice(route.indexOf(' ') + 1);
  const path = template.replaceAll(/\{(\w+)\}/g, (parameter, name: string) => {
    const value = pathParameters[name] ?? '';
    return madeId.test(value) ? value : parameter;
  });
  return { method: requestContext.http.method, route: template, ...(path !== template && { path }) };
}

/** The same work, as one of the requests that the caller may send. */
function withinShare(
  { route, share }: Operation,
  caller: Caller | undefined,
  { sourceIp }: ErasedRequest,
  ports: Readonly<Record<string, unknown>>,
  work: () => Promise<unknown>,
): () => Promise<unknown> {
  const shares = share === undefined ? undefined : sharesIn(ports);
  return share === undefined || shares === undefined
    ? work
    : () => shares.shared(route, share, { userId: caller?.userId, sourceIp }, work);
}

/** Otherwise a SUPERADMIN who mistypes an organization's id would create it by writing to it. */
async function requireOrganization(
  caller: Caller | undefined,
  ports: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (caller !== undefined && caller.organizationId !== caller.homeOrganizationId) {
    if (!(await callerRecordsIn(ports).organizationExists())) {
      throw organizationNotFound();
    }
  }
}

function responseOptions({ contentType }: Operation, event: HttpEvent): ResponseOptions {
  return {
    requestId: event.requestContext.requestId,
    acceptsGzip: accepts(event.headers['accept-encoding'], 'gzip'),
    overHttps: schemeOf(event) === 'https',
    ...(contentType === undefined ? {} : { contentType }),
  };
}

/** The HTTP response for what the operation returned. An `output` must match its schema. */
async function responseTo(
  operation: Operation,
  output: unknown,
  event: HttpEvent,
  request: ErasedRequest,
  context: unknown,
): Promise<HttpResponse> {
  const { headers, oversized } = operation;
  const options = responseOptions(operation, event);
  if (output instanceof Asset) {
    return assetResponse(output, event.headers, { ...options, headers });
  }
  if (output instanceof OtherResponse) {
    return otherResponse(output, options);
  }
  const body = output instanceof JsonText ? output : z.parse(operation.output, output);
  const status = operation.createsNothing?.when(body) ? 200 : (operation.status ?? 200);
  try {
    return response(status, body, options, headers);
  } catch (error) {
    if (!(error instanceof Oversized) || oversized === undefined) {
      throw error;
    }
    return otherResponse(await oversized(error.zipped, request, context), options);
  }
}

function otherResponse(
  { status, body, contentType, headers }: OtherResponse,
  options: ResponseOptions,
): HttpResponse {
  const text = contentType === 'application/json' ? new JsonText(body) : body;
  return response(status, text, { ...options, contentType }, headers);
}
