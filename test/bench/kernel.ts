import { decodeJwt } from 'jose';
import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveDeferringHttp } from '../../shared/kernel/serve/serve-deferring-http.ts';
import { portUses } from '../../shared/kernel/uses.ts';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { providersByAccess } from '../harness/providers.ts';

export interface Outcome {
  readonly status: number;
  readonly body: string;
  readonly consumed: Consumption;
}

/** Handles one call after the other, like a warm function. */
export type Handler = (event: HttpEvent) => Promise<Outcome>;

/** The operation as its function runs it, without gateway, network and the checks of tests, and with hashes that take their time. */
export async function makeHandler(
  { providers, objects }: Product,
  { name, operation }: { readonly name: string; readonly operation: Operation },
  clock: () => Date = systemRuntime.clock,
): Promise<Handler> {
  let line: Record<string, unknown> = {};
  const runtime = {
    ...systemRuntime,
    clock,
    log: (entry: Record<string, unknown>) => {
      line = entry;
    },
  };
  const passwords = argon2Passwords();
  const own = await providersByAccess(portUses(operation), objects);
  const serve = serveDeferringHttp(
    name,
    operation,
    { ...own, ...providers, passwords: () => passwords },
    runtime,
  );
  return async (event) => {
    const { statusCode: status, body } = await serve(event, {});
    const { defect, requests, roundTrips, readUnits, writeUnits } = line;
    if (defect !== undefined) {
      throw new Error(`${name} failed: ${JSON.stringify(defect)}`);
    }
    return { status, body, consumed: { requests, roundTrips, readUnits, writeUnits } as Consumption };
  };
}

/** The event that the gateway makes of a call, with the result of its authorizer if `person` calls a guarded operation. */
export function toHttpEvent({ path, query, body, token, headers }: Call, person?: Person): HttpEvent {
  const bearer = token ?? person?.token;
  return {
    rawPath: '/',
    headers: { ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }), ...headers },
    pathParameters: path ?? {},
    queryStringParameters: query ?? {},
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    requestContext: {
      requestId: 'bench',
      http: { method: 'GET', path: '/', sourceIp: '192.0.2.1' },
      ...(person === undefined ? {} : { authorizer: { lambda: claimsOf(person) } }),
    },
  };
}

function claimsOf({ userId, organizationId, role, token }: Person): Record<string, unknown> {
  return {
    userId,
    organizationId,
    role,
    sessionId: decodeJwt(token).sid,
    expiresAt: Math.floor(Date.now() / 1_000) + 3_600,
  };
}
