import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { requestOrigin } from '../actor.ts';
import { type Caller, organizationNotFound } from '../caller.ts';
import { raceDeadline } from '../deadline.ts';
import { Failure, isCorrectable } from '../failure.ts';
import { runAsCurrentCaller } from '../http/current-caller.ts';
import type { HttpEvent, HttpResponse } from '../http/http-event.ts';
import { readRequest } from '../http/http-request.ts';
import { boundOrganization, identify } from '../http/identify.ts';
import { keyedRequest } from '../http/keyed-request.ts';
import { answerResponse, answerTo, buildResponse, responseOptions } from '../http/operation-response.ts';
import { errorResponse } from '../http/response.ts';
import { traceFields } from '../http/traceparent.ts';
import { type LimitUse, limitHeaders } from '../limit-policy.ts';
import type { Operation } from '../operation.ts';
import type { Standing } from '../ports.ts';
import type { AnyRequest } from '../request.ts';
import { timestamp } from '../time.ts';
import { callerRecordsIn, deferredRequestsIn, idempotencyIn, portUses, sharesIn, takesKey } from '../uses.ts';
import type { runOrDefer } from './deferred-request.ts';
import { type Invocation, type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { gatewayLimit, invocationLimits } from './invocation-limits.ts';
import { beginInvocation, errorFields, type Served, type Source } from './served.ts';

/**
 * The Lambda handler of an HTTP operation. Around it are the steps of every request: the response to HEAD, the log line, the response
 * to an error. It fails closed: an operation that needs a caller gets its ports only after the claims passed the checks, and where the
 * user's current role matters, nothing is written and nothing is answered before that passed them, too.
 */
export function serveHttp(
  name: string,
  operation: Operation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
  defer?: typeof runOrDefer,
): (event: HttpEvent, context?: unknown) => Promise<HttpResponse> {
  const steps = middy<HttpEvent, HttpResponse, Error, HttpContext>({ timeoutEarlyInMillis: 0 });
  if (operation.route === '$default') {
    steps.before(({ event }) => (isPreflight(event) ? preflight : undefined));
  }
  const handler = steps
    .use(bodilessHeads)
    .use(logLines({ name, providers, runtime }))
    .use(announcedLimits)
    .use(errorResponses(operation))
    .handler((event, { served: { invocation } }) =>
      raceDeadline(invocation.deadline, respondTo(operation, event, invocation, defer)),
    );
  return handler as (event: HttpEvent, context?: unknown) => Promise<HttpResponse>;
}

/** The steps hand these on: the invocation, and the writer of its log line. */
type HttpContext = Context & { readonly served: Served };

type HttpRequest = middy.Request<HttpEvent, HttpResponse, Error, HttpContext>;
type HttpStep = middy.MiddlewareObj<HttpEvent, HttpResponse, Error, HttpContext>;

/** The response to HEAD: everything but the body of GET. Source: RFC 9110, 9.3.2. */
const bodilessHeads: HttpStep = {
  after: withoutBodyOfHead,
  onError: withoutBodyOfHead,
};

/** Announces the limits that the request has drawn on, whatever the response is. */
const announcedLimits: HttpStep = { after: announceLimits, onError: announceLimits };

function announceLimits(request: HttpRequest): void {
  const { response, error, context } = request;
  const { clock, drawn } = context.served.invocation;
  const refusing = error instanceof Failure ? error.limits : [];
  const uses = [...drawn(), ...refusing].map((use): [string, LimitUse] => [use.policy.name, use]);
  if (response && uses.length > 0) {
    const headers = limitHeaders([...new Map(uses).values()], clock.now);
    request.response = { ...response, headers: { ...response.headers, ...headers } };
  }
}

/** Begins the invocation, and writes its log line when there is a response. */
function logLines(source: Source): HttpStep {
  const note = ({ response, context }: HttpRequest) => {
    const { clock, note } = context.served.invocation;
    const milliseconds = source.runtime.clock().getTime() - clock.now.getTime();
    note({ status: response?.statusCode, milliseconds });
  };
  return {
    before(request) {
      const served = beginInvocation(source, request.context, gatewayLimit);
      request.context = Object.assign(Object.create(request.context), { served });
    },
    after(request) {
      note(request);
      request.context.served.logSuccess();
    },
    onError(request) {
      note(request);
      const { error, context } = request;
      if (isCorrectable(error)) {
        context.served.log('info');
      } else {
        context.served.log('error', reasonOf(error));
      }
    },
  };
}

function errorResponses(operation: Operation): HttpStep {
  return {
    onError(request) {
      const { error, event, context } = request;
      context.served.invocation.note(error instanceof Failure ? error.noted : {});
      const options = responseOptions(operation, event);
      try {
        request.response = errorResponse(error, operation.family, options, operation.refusal);
      } catch (defect) {
        // The client gets the 500 of any other defect, and the log tells of this one.
        request.error = defect as Error;
        request.response = errorResponse(defect, operation.family, options);
      }
    },
  };
}

/** Caller, request, run, response, from top to bottom. */
async function respondTo(
  operation: Operation,
  event: HttpEvent,
  invocation: Invocation,
  defer: typeof runOrDefer | undefined,
): Promise<HttpResponse> {
  invocation.note({
    ...routeFields(operation, event),
    requestId: event.requestContext.requestId,
    ...traceFields(event.headers),
  });
  const { clock, deadline } = invocation;
  const claimed = identify(operation, event, clock.now);
  if (claimed !== undefined) {
    invocation.note({ organizationId: claimed.organizationId, userId: claimed.userId });
  }
  const organizationId = boundOrganization(operation, event, claimed);
  const respond = async (caller?: Caller, mayWrite?: Promise<Standing>) => {
    const request = await readRequest(operation, event, { receivedAt: clock.now });
    invocation.comesFrom(requestOrigin(operation, request));
    const ports = invocation.ports(portUses(operation), caller, organizationId, mayWrite);
    await requireOrganization(caller, ports);
    const context = { ...ports, ...clock, caller, deadline };
    const longestRun = operation.timeLimit ?? invocationLimits.http;
    const keyed = takesKey(operation) ? keyedRequest(event, longestRun) : undefined;
    if (keyed !== undefined) {
      const answer = withinShare(operation, caller, request, ports, () =>
        idempotencyIn(ports).answerOnce(keyed, async (writes) => {
          const own = invocation.ports(operation.uses, caller, organizationId, mayWrite, writes);
          const output = await operation.run(request, {
            ...own,
            ...clock,
            caller,
            deadline,
            runId: writes.runId,
          });
          return answerTo(operation, output);
        }),
      );
      return answerResponse(await answer(), responseOptions(operation, event), operation.headers);
    }
    const run = withinShare(operation, caller, request, ports, () => operation.run(request, context));
    const { defers } = operation;
    const output = await (defers === undefined || defer === undefined
      ? run()
      : defer(run, {
          queue: deferredRequestsIn(ports),
          deferred: { route: operation.route, receivedAt: timestamp(clock.now), event },
          deferral: () => defers(request),
          onDeferred: (error) => invocation.note({ deferred: true, problem: error }),
          deadline,
        }));
    return buildResponse(operation, output, event, request, context);
  };
  if (claimed === undefined) {
    return respond();
  }
  const records = callerRecordsIn(invocation.ports({ callerRecords: 'check' }, claimed, organizationId));
  return runAsCurrentCaller(operation, claimed, organizationId, records, respond);
}

/**
 * The log's fields for an error beside its status: everything about a defect; about a failure its cause, which the body does
 * not show.
 */
function reasonOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Failure)) {
    return { defect: errorFields(error) };
  }
  return error.cause === undefined ? {} : { cause: errorFields(error.cause) };
}

function withoutBodyOfHead(request: HttpRequest): void {
  const { event, response } = request;
  if (event.requestContext.http.method === 'HEAD' && response) {
    request.response = { statusCode: response.statusCode, headers: response.headers, body: '' };
  }
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
function withinShare<Result>(
  { route, share }: Operation,
  caller: Caller | undefined,
  { sourceIp }: AnyRequest,
  ports: Readonly<Record<string, unknown>>,
  work: () => Promise<Result>,
): () => Promise<Result> {
  const shares = share === undefined ? undefined : sharesIn(ports);
  return share === undefined || shares === undefined
    ? work
    : () => shares.limitRequests(route, share, { userId: caller?.userId, sourceIp }, work);
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
