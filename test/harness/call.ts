import { gunzipSync } from 'node:zlib';
import { isPublished } from '../../infra/openapi/document.ts';
import { ofKind } from '../../infra/registry.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { type Providers, type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveAuthorizer } from '../../shared/kernel/serve/serve-authorizer.ts';
import { serveKeepingHttp } from '../../shared/kernel/serve/serve-keeping-http.ts';
import { usesOf } from '../../shared/kernel/uses.ts';
import { gatewayEvent } from './gateway.ts';
import type { Json } from './json.ts';
import type { TestObjects } from './objects.ts';
import { allOperations, providersByAccess } from './providers.ts';
import { published } from './published.ts';

export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** An object is sent as JSON; a string as it is. */
  body?: unknown;
  /** An access token. */
  token?: string | undefined;
  headers?: Record<string, string>;
  sourceIp?: string;
  /** When the call happens; now unless stated. */
  at?: Date | undefined;
}

export interface Answer {
  status: number;
  body: Json;
  /** The body as it came. */
  text: string;
  headers: Record<string, string>;
  /** What the call consumed of the table; undefined when it never came to the operation. */
  consumed: Consumption | undefined;
}

const https = new Map(ofKind(allOperations, 'http').map((one) => [one.name, one]));
const [authorizer] = ofKind(allOperations, 'authorizer');
if (authorizer === undefined) {
  throw new Error('There is no authorizer');
}

interface CalledProduct {
  readonly providers: Providers;
  readonly authorizerProviders: Providers;
  readonly objects: TestObjects;
}

/** Calls operations by their names through the real authorizer and the real kernel, with the providers that are there at each call. */
export function callsThrough({
  providers,
  authorizerProviders,
  objects,
}: CalledProduct): (name: string, call?: Call) => Promise<Answer> {
  return async (name, call = {}) => {
    const registered = https.get(name);
    if (registered === undefined) {
      throw new Error(`There is no operation ${name}`);
    }
    const { operation } = registered;
    const line: Partial<Consumption> = {};
    const runtime: Runtime = {
      ...systemRuntime,
      clock: () => call.at ?? new Date(),
      log: (entry) => {
        Object.assign(line, entry);
        if (entry.defect !== undefined) {
          console.error(JSON.stringify(entry, null, 2));
        }
      },
    };
    const headers = {
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...call.headers,
    };
    const guarded = operation.minimumRole !== 'anyone';
    if (guarded && headers.authorization === undefined) {
      const body = { message: 'Unauthorized' };
      return { status: 401, body, text: JSON.stringify(body), headers: {}, consumed: undefined };
    }
    const authorized = guarded
      ? await serveAuthorizer(
          authorizer?.name ?? '',
          authorizer?.operation as never,
          authorizerProviders,
          runtime,
        )({ headers })
      : undefined;
    const answer = await serveKeepingHttp(
      name,
      operation,
      { ...(await providersByAccess(usesOf(operation), objects)), ...providers },
      runtime,
    )(gatewayEvent(operation.route, { ...call, headers }, authorized?.context), {});
    const text = answer.isBase64Encoded
      ? gunzipSync(Buffer.from(answer.body, 'base64')).toString()
      : answer.body;
    const isJson = answer.headers['content-type']?.startsWith('application/json');
    const result: Answer = {
      status: answer.statusCode,
      body: isJson ? JSON.parse(text) : text,
      text,
      headers: answer.headers,
      consumed: line.requests === undefined ? undefined : (line as Consumption),
    };
    if (isPublished(registered) && !isWithoutBody(result)) {
      holdAgainst(name, result);
    }
    return result;
  };
}

/** Redirections, and 304. */
const isWithoutBody = ({ status }: Answer) => status >= 300 && status < 400;

/** Every answer that a test gets is held against the published description. */
function holdAgainst(name: string, { status, body, headers }: Answer): void {
  const problems = published.responseProblems(name, status, body, headers['content-type']);
  if (problems.length > 0) {
    throw new Error(
      `${name} answered ${status} other than published: ${problems.join('; ')}: ${JSON.stringify(body)}`,
    );
  }
}
