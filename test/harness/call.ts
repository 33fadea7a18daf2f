import { gunzipSync } from 'node:zlib';
import { announcedLimits } from '../../infra/openapi/announced-limits.ts';
import { isPublished } from '../../infra/openapi/document.ts';
import { ofKind } from '../../infra/registry.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { type Providers, type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveDeferringHttp } from '../../shared/kernel/serve/serve-deferring-http.ts';
import { portUses } from '../../shared/kernel/uses.ts';
import { gatewayAuthorizer } from './authorizer.ts';
import { gatewayEvent } from './gateway.ts';
import type { Json } from './json.ts';
import type { TestObjects } from './objects.ts';
import { allOperations, providersByAccess } from './providers.ts';
import { published } from './published.ts';

export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** Further query parameters, of which some are repeated. */
  repeated?: readonly (readonly [name: string, value: string])[];
  /** An object is sent as JSON; a string as it is. */
  body?: unknown;
  /** An access token. */
  token?: string | undefined;
  headers?: Record<string, string>;
  sourceIp?: string;
  /** When the call happens; now unless stated. */
  at?: Date | undefined;
}

export interface ApiResponse {
  status: number;
  body: Json;
  /** The body as it was sent. */
  text: string;
  headers: Record<string, string>;
  /** The table's capacity that the call consumed; undefined when it did not reach the operation. */
  consumed: Consumption | undefined;
}

const https = new Map(ofKind(allOperations, 'http').map((entry) => [entry.name, entry]));

interface CalledProduct {
  readonly providers: Providers;
  readonly authorizerProviders: Providers;
  readonly objects: TestObjects;
}

/** Calls operations by name through the real authorizer and the real kernel, with the providers set at the time of each call. */
export function callsThrough({
  providers,
  authorizerProviders,
  objects,
}: CalledProduct): (name: string, call?: Call) => Promise<ApiResponse> {
  const authorize = gatewayAuthorizer(authorizerProviders);
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
    const headers: Record<string, string> = {
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...call.headers,
    };
    const isGuarded = operation.minimumRole !== 'anyone';
    if (isGuarded && headers.authorization === undefined) {
      const body = { message: 'Unauthorized' };
      return { status: 401, body, text: JSON.stringify(body), headers: {}, consumed: undefined };
    }
    const context = isGuarded ? await authorize(headers.authorization ?? '', runtime) : undefined;
    const response = await serveDeferringHttp(
      name,
      operation,
      { ...(await providersByAccess(portUses(operation), objects)), ...providers },
      runtime,
    )(gatewayEvent(operation.route, { ...call, headers }, context), {});
    const text = response.isBase64Encoded
      ? gunzipSync(Buffer.from(response.body, 'base64')).toString()
      : response.body;
    const isJson = response.headers['content-type']?.startsWith('application/json');
    const result: ApiResponse = {
      status: response.statusCode,
      body: isJson ? JSON.parse(text) : text,
      text,
      headers: response.headers,
      consumed: line.requests === undefined ? undefined : (line as Consumption),
    };
    requireDeclared(operation, result);
    if (isPublished(registered) && !isWithoutBody(result)) {
      requireAsPublished(name, result);
    }
    return result;
  };
}

/** Redirections, and 304. */
const isWithoutBody = ({ status }: ApiResponse) => status >= 300 && status < 400;

/** Checks that a response announces no limits but those that its operation declares. */
function requireDeclared(operation: Operation, { headers }: ApiResponse): void {
  const declared = announcedLimits(operation).map(({ name }) => name);
  const names = [...(headers['ratelimit-policy'] ?? '').matchAll(/"([a-z-]+)";q/g)].map(
    ([, name]) => name ?? '',
  );
  const undeclared = names.filter((name) => !declared.includes(name));
  if (undeclared.length > 0) {
    throw new Error(`${operation.route} announces ${undeclared.join(', ')}, which it does not declare`);
  }
}

/** Checks every response that a test gets against the OpenAPI document. */
function requireAsPublished(name: string, { status, body, headers }: ApiResponse): void {
  const problems = published.responseProblems(name, status, body, headers['content-type']);
  if (problems.length > 0) {
    throw new Error(
      `The ${status} of ${name} does not match its OpenAPI description: ${problems.join('; ')}: ${JSON.stringify(body)}`,
    );
  }
}
