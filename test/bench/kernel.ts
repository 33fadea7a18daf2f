import { join } from 'node:path';
import { stepOperations } from '../../infra/function-plan.ts';
import { portsOf } from '../../infra/ports.ts';
import { projectRoot } from '../../infra/project.ts';
import { operations } from '../../infra/registry.ts';
import { type SigningSecret, signingKeys } from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner } from '../../shared/kernel/auth/tokens.ts';
import type { BuiltAsset } from '../../shared/kernel/http/asset.ts';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';
import type { Operation, Uses } from '../../shared/kernel/operation.ts';
import type { Consumption, Provider } from '../../shared/kernel/ports.ts';
import { secretSealer } from '../../shared/kernel/secrets/sealed-secrets.ts';
import { type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveKeepingHttp } from '../../shared/kernel/serve/serve-keeping-http.ts';
import { stepUsesOf, usesOf } from '../../shared/kernel/uses.ts';
import { provideStepOperations, type ServedStepOperation } from '../../shared/ports/step-operations.ts';
import type { Call } from '../harness/call.ts';
import type { Person } from '../harness/product.ts';
import { sealingKey } from '../harness/product.ts';
import { recordingQueue } from '../harness/queues.ts';
import { recordingMail } from '../harness/recording-mail.ts';
import { recordingSms } from '../harness/recording-sms.ts';

/** What the ports of this process need besides environment variables. */
export interface FunctionResources {
  readonly secret: SigningSecret;
  /** The documents that bundles contain, by the access to the port `asset`. */
  readonly assets: Readonly<Record<string, BuiltAsset>>;
}

export interface Outcome {
  readonly status: number;
  readonly body: string;
  readonly consumed: Consumption;
}

/** Handles one call after the other, like a warm function. */
export type Handler = (event: HttpEvent) => Promise<Outcome>;

/** The operation as its function runs it: without gateway and network, over the table that the environment names. */
export async function handlerOf(
  name: string,
  operation: Operation,
  resources: FunctionResources,
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
  const serve = serveKeepingHttp(name, operation, await providersOf(usesOf(operation), resources), runtime);
  return async (event) => {
    const { statusCode: status, body } = await serve(event, {});
    const { defect, requests, roundTrips, readUnits, writeUnits } = line;
    if (defect !== undefined) {
      throw new Error(`${name} failed: ${JSON.stringify(defect)}`);
    }
    return { status, body, consumed: { requests, roundTrips, readUnits, writeUnits } as Consumption };
  };
}

async function providersOf(uses: Uses, resources: FunctionResources): Promise<Providers> {
  const { secret, assets } = resources;
  const keys = signingKeys({ read: async () => secret });
  const signer = tokenSigner(keys);
  const provided = portsOf(uses).map(async ({ name, access, provider: [module, provide] }) => {
    if (name === 'tokens') {
      return [name, () => signer] as const;
    }
    if (name === 'sms') {
      return [name, () => recordingSms()] as const;
    }
    if (name === 'mail') {
      return [name, () => recordingMail()] as const;
    }
    if (name === 'secrets') {
      return [name, () => secretSealer(async () => sealingKey)] as const;
    }
    if (name === 'keptRequests' || name === 'queue') {
      return [name, () => recordingQueue()] as const;
    }
    if (name === 'stepOperations') {
      return [name, provideStepOperations(await performed(resources))] as const;
    }
    const make = ((await import(join(projectRoot, module))) as Record<string, (given: unknown) => Provider>)[
      provide
    ];
    return [name, make?.(name === 'asset' ? assets[access] : process.env)] as const;
  });
  return Object.fromEntries(await Promise.all(provided));
}

async function performed(resources: FunctionResources): Promise<ServedStepOperation[]> {
  const all = stepOperations(await operations()).map(async ({ name, operation }) => ({
    name,
    load: async () => operation,
    providers: await providersOf(stepUsesOf(operation), resources),
  }));
  return Promise.all(all);
}

/** The event that the gateway makes of a call, with the result of its authorizer if `person` calls a guarded operation. */
export function eventOf({ path, query, body, token, headers }: Call, person?: Person): HttpEvent {
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

function claimsOf({ userId, organizationId, role }: Person): Record<string, unknown> {
  return { userId, organizationId, role, expiresAt: Math.floor(Date.now() / 1_000) + 3_600 };
}
