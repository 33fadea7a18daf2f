import middy, { type MiddlewareObj } from '@middy/core';
import * as z from 'zod/mini';
import { keys } from '../table/keys.ts';
import type { TableReader } from '../table/table.ts';
import { accepts } from './accepted-coding.ts';
import { type AnswerOptions, answer, answerToError, Oversized } from './answer.ts';
import { Asset } from './asset.ts';
import { assetAnswer } from './asset-answer.ts';
import { defaultBodyLimit, readBody } from './body.ts';
import { type Caller, type Claims, callerOf, organizationNotFound, reaches, roles } from './caller.ts';
import { Failure, Refused } from './failure.ts';
import type { HttpAnswer, HttpEvent, HttpRequest } from './http-event.ts';
import { identifier } from './identifier.ts';
import { parsed } from './invalid.ts';
import { JsonText } from './json-text.ts';
import type { Moment, Operation, SentRequest } from './operation.ts';
import { OtherAnswer } from './other-answer.ts';
import { readQuery } from './query.ts';
import { type Call, described, newCall, type Providers, type Runtime, systemRuntime } from './runtime.ts';

/** What cannot be an identifier is looked for as one that no record has: so it reads as "not found", to the byte. */
const nobodysId = '-';

/**
 * The Lambda handler of an HTTP operation: the only place that knows the gateway's event. It fails closed: an operation
 * that needs a caller is given its ports only after the claims were checked against the clock and the role.
 */
export function serveHttp(
  name: string,
  operation: Operation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: HttpEvent, context: unknown) => Promise<HttpAnswer> {
  const steps = [
    answering(name, operation, providers, runtime),
    identified(operation),
    ...(operation.body === undefined ? [] : [bodyReading(operation)]),
  ] as unknown as MiddlewareObj[];
  const handler = middy()
    .use(steps)
    .handler(async (event: unknown, context: unknown) =>
      run(operation, event as HttpEvent, (context as Shared).internal),
    );
  const isCatchAll = operation.route === '$default';
  return async (event, context) => {
    if (isCatchAll && isPreflight(event)) {
      return preflight;
    }
    const answer = (await handler(event, { ...(context as object), internal: {} } as never)) as HttpAnswer;
    return event.requestContext.http.method === 'HEAD' ? withoutBody(answer) : answer;
  };
}

/** What HEAD answers: all that GET would say about the body. Source: RFC 9110, 9.3.2. */
function withoutBody({ statusCode, headers }: HttpAnswer): HttpAnswer {
  return { statusCode, headers, body: '' };
}

/** A gateway with a `$default` route leaves CORS preflights to it; what the browser asks for the gateway itself adds. */
const preflight: HttpAnswer = { statusCode: 204, headers: {}, body: '' };

function isPreflight({ headers, requestContext }: HttpEvent): boolean {
  return requestContext.http.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** What the steps of one request hand on to each other. */
interface Internal {
  call?: Call;
  caller?: Caller;
  /** The body as it came. */
  body?: Pick<SentRequest, 'text' | 'isForm'>;
  /** What the operation was run with. */
  run?: { request: Parameters<Operation['run']>[0]; context: Moment };
}

interface Shared {
  internal: Internal;
}

const internalOf = (request: HttpRequest) => (request.context as Shared).internal;

/** Starts the call; at its end shapes the answer and writes one log line. */
function answering(name: string, operation: Operation, providers: Providers, runtime: Runtime) {
  const options = ({ event }: HttpRequest): AnswerOptions => ({
    requestId: event.requestContext.requestId,
    acceptsGzip: accepts(event.headers['accept-encoding'], 'gzip'),
    ...(operation.contentType === undefined ? {} : { contentType: operation.contentType }),
  });

  const log = (request: HttpRequest, status: number, error?: unknown) => {
    const { call, caller } = internalOf(request);
    runtime.log({
      level: status >= 500 ? 'error' : 'info',
      operation: name,
      ...routeOf(operation, request.event),
      requestId: request.event.requestContext.requestId,
      status,
      ...(call && { milliseconds: runtime.clock().getTime() - call.moment.now.getTime() }),
      ...(caller === undefined ? {} : { organizationId: caller.organizationId, userId: caller.userId }),
      ...call?.consumed(),
      ...reasonOf(error),
    });
  };

  return {
    before(request: HttpRequest) {
      internalOf(request).call = newCall(runtime, providers);
    },
    async after(request: HttpRequest) {
      const result: unknown = request.response;
      request.response =
        result instanceof Asset
          ? assetAnswer(result, request.event.headers, { ...options(request), headers: operation.headers })
          : result instanceof OtherAnswer
            ? otherAnswer(result, options(request))
            : await outputAnswer(operation, result, request, options(request));
      log(request, request.response.statusCode);
    },
    onError(request: HttpRequest) {
      request.response = answerToError(request.error, operation.family, options(request), operation.refusal);
      log(request, request.response.statusCode, request.error);
    },
  };
}

/** The route by its parameters' names: values may be telephone numbers. What no route takes is named as it was asked for. */
function routeOf({ route }: Operation, { rawPath, requestContext }: HttpEvent): Record<string, string> {
  const { method } = requestContext.http;
  return route === '$default'
    ? { method, route, path: rawPath.slice(0, longestPath) }
    : { method, route: route.slice(route.indexOf(' ') + 1) };
}

/** Characters of a path that the log keeps. */
const longestPath = 200;

function otherAnswer(
  { status, body, contentType, headers }: OtherAnswer,
  options: AnswerOptions,
): HttpAnswer {
  return answer(status, body, { ...options, contentType }, headers);
}

async function outputAnswer(
  { status = 200, headers, oversized }: Operation,
  output: unknown,
  request: HttpRequest,
  options: AnswerOptions,
): Promise<HttpAnswer> {
  try {
    return answer(status, output, options, headers);
  } catch (error) {
    const { run } = internalOf(request);
    if (!(error instanceof Oversized) || oversized === undefined || run === undefined) {
      throw error;
    }
    return otherAnswer(await oversized(error.zipped, run.request, run.context), options);
  }
}

/** Reads the body, and keeps it as it came. */
function bodyReading({ bodyLimit = defaultBodyLimit, takesForms = false }: Operation) {
  return {
    async before(request: HttpRequest) {
      internalOf(request).body = await readBody(request, { limit: bodyLimit, takesForms });
    },
  };
}

/** What the log says of an error beyond its status: all of a defect; of a failure the cause, which its body conceals. */
function reasonOf(error: unknown): Record<string, unknown> {
  if (error instanceof Failure) {
    return error.status >= 500 && error.cause !== undefined ? { cause: described(error.cause) } : {};
  }
  return error === undefined || error instanceof Refused ? {} : { defect: described(error) };
}

/** Turns the authorizer's annotation into a caller, or into the contract's 401 or 403. */
function identified({ allow }: Operation) {
  return {
    before(request: HttpRequest) {
      if (allow === 'anyone') {
        return;
      }
      const internal = internalOf(request);
      const claims = claimsOf(request.event);
      if (internal.call === undefined || claims.expiresAt * 1_000 <= internal.call.moment.now.getTime()) {
        throw new Refused('expired');
      }
      const caller = callerOf(claims, request.event.headers['x-organization-id']);
      if (!reaches(caller.role, allow)) {
        throw new Failure(
          'FORBIDDEN',
          `This needs the role ${allow}${allow === 'SUPERADMIN' ? '' : ' or a higher one'}.`,
        );
      }
      internal.caller = caller;
    },
  };
}

function claimsOf(event: HttpEvent): Claims {
  const context = event.requestContext.authorizer?.lambda ?? {};
  const { userId, organizationId, role, refusal } = context;
  // The gateway may hand numbers of the authorizer on as texts.
  const expiresAt = Number(context.expiresAt ?? Number.NaN);
  if (
    refusal !== undefined ||
    typeof userId !== 'string' ||
    typeof organizationId !== 'string' ||
    !Number.isFinite(expiresAt) ||
    !roles.includes(role as never)
  ) {
    throw new Refused(refusal === 'expired' ? 'expired' : 'invalid');
  }
  return { userId, organizationId, expiresAt, role: role as Claims['role'] };
}

async function run(operation: Operation, event: HttpEvent, internal: Internal): Promise<unknown> {
  const { call, caller, body } = internal;
  if (call === undefined || (operation.allow !== 'anyone' && caller === undefined)) {
    throw new Refused('invalid');
  }
  const { method, sourceIp } = event.requestContext.http;
  const request = {
    path: pathOf(operation, event),
    query: readQuery(operation.query, event.queryStringParameters ?? {}),
    body: operation.body && parsed(operation.body, event.body, 'body'),
    headers: event.headers,
    sent: { method, path: event.rawPath, url: urlOf(event), text: '', isForm: false, ...body },
    sourceIp,
  };
  const ports = call.ports(operation.uses, caller);
  if (caller !== undefined && caller.organizationId !== caller.homeOrganizationId) {
    await requireOrganization(ports.table as TableReader | undefined);
  }
  const context = { ...ports, ...call.moment, caller };
  internal.run = { request, context };
  const output = await operation.run(request, context);
  return output instanceof Asset || output instanceof OtherAnswer || output instanceof JsonText
    ? output
    : z.parse(operation.output, output);
}

/** The path parameters, each an identifier or what its own schema takes. */
function pathOf({ path = {} }: Operation, { pathParameters = {} }: HttpEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pathParameters).map(([name, value = '']) => {
      const schema = path[name];
      if (schema === undefined) {
        return [name, identifier.test(value) ? value : nobodysId];
      }
      const { success, data } = z.safeParse(schema, value);
      return [name, success ? data : nobodysId];
    }),
  );
}

/** As the caller wrote it. The gateway hands the path on decoded; none of our routes has anything to decode there. */
function urlOf({ headers, rawPath, rawQueryString, requestContext }: HttpEvent): string {
  const host = headers.host ?? requestContext.domainName ?? '';
  const scheme = headers['x-forwarded-proto'] ?? 'https';
  return `${scheme}://${host}${rawPath}${rawQueryString ? `?${rawQueryString}` : ''}`;
}

/** A SUPERADMIN's mistyped organization must not come into being by being written to. */
async function requireOrganization(table: TableReader | undefined): Promise<void> {
  if (table === undefined) {
    throw new Error('An operation in a named organization needs the port "table"');
  }
  if ((await table.read(keys.organization())) === undefined) {
    throw organizationNotFound();
  }
}
