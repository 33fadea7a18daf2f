import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { builtAsset } from '../../infra/assets.ts';
import { stepOperations } from '../../infra/function-plan.ts';
import { grantSuperadmin } from '../../infra/grant-superadmin.ts';
import { isPublished } from '../../infra/openapi/document.ts';
import { ofKind, operations } from '../../infra/registry.ts';
import { argon2Passwords } from '../../shared/auth/passwords.ts';
import {
  newSigningSecret,
  publicKeysOf,
  type SigningSecret,
  signingKeys,
} from '../../shared/auth/signing-secret.ts';
import { tokenSigner, tokenVerifier } from '../../shared/auth/tokens.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { provideDueOperations } from '../../shared/kernel/due-operations.ts';
import {
  newInvocation,
  type Providers,
  type Runtime,
  systemRuntime,
} from '../../shared/kernel/invocation.ts';
import type { QueueName } from '../../shared/kernel/message-queue.ts';
import type { ClockAndIds, Ports, Uses } from '../../shared/kernel/operation.ts';
import type { Consumption, Provider } from '../../shared/kernel/ports.ts';
import { serveAuthorizer } from '../../shared/kernel/serve-authorizer.ts';
import { serveKeepingHttp } from '../../shared/kernel/serve-keeping-http.ts';
import { provideStepOperations } from '../../shared/kernel/step-operations.ts';
import { usesOf } from '../../shared/kernel/uses.ts';
import { newcomerPolicies } from '../../shared/organizations/newcomer-policy.ts';
import { provideAsset } from '../../shared/ports/asset.ts';
import { provideSpending } from '../../shared/ports/spending.ts';
import {
  provideCallerRecords,
  provideIdentity,
  provideOrganizations,
  providePlatform,
  provideTable,
} from '../../shared/ports/table.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { startTestDatabase } from './database.ts';
import { unhurried } from './eventually.ts';
import { domainName, gatewayEvent } from './gateway.ts';
import { type RecordingGivenUp, recordingGivenUp } from './given-up.ts';
import type { Json } from './json.ts';
import { type TestObjects, testObjects } from './objects.ts';
import { published } from './published.ts';
import { type RecordingQueue, recordingQueue } from './queues.ts';
import { type RecordingMail, recordingMail } from './recording-mail.ts';
import { type RecordingSms, recordingSms } from './recording-sms.ts';

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

/** A signed-in user. */
export interface Person {
  userId: string;
  organizationId: string;
  email: string;
  role: Role;
  token: string;
  refreshToken: string;
  socketToken: string;
}

export interface Product {
  /** Calls an operation by its name through the real authorizer and the real kernel. */
  call(name: string, call?: Call): Promise<Answer>;
  /** Registers an organization with its first user, an ADMIN. */
  newOrganization(): Promise<Person>;
  /** Registers a user into the organization of an ADMIN. */
  newColleague(admin: Person, role?: Role, more?: Record<string, unknown>): Promise<Person>;
  /** A user above all others: of the platform's own organization, or of that of an admin. */
  newSuperadmin(admin?: Person): Promise<Person>;
  /** The table of an organization, as a port sees it: to arrange what no operation makes yet. */
  tableOf(organizationId: string): { table: TableWriter; moment: ClockAndIds };
  /** The SMS provider: tell it here to refuse a number, or to be unavailable for it. */
  readonly sms: RecordingSms;
  /** Text messages that the product has sent, oldest first. */
  readonly sentMessages: RecordingSms['sent'];
  /** The provider of email: tell it here to refuse an address, or to be unavailable. */
  readonly mail: RecordingMail;
  /** What waits to be tried again: requests that were kept, mail and text messages that could not be sent. */
  readonly queues: Readonly<Record<QueueName, RecordingQueue>>;
  /** What failed too often; nothing unless a test puts it there. */
  readonly givenUp: RecordingGivenUp;
  /** By port; what a test sets here for a port takes the place of the real one. */
  readonly providers: Providers;
  /** The same for the authorizer. */
  readonly authorizerProviders: Providers;
  readonly objects: TestObjects;
  readonly tableName: string;
  readonly secret: SigningSecret;
  stop(): Promise<void>;
}

export const password = 'correct horse battery';

/** The real thing at a small price: a hash costs 25 ms of a core on purpose. What is about that cost takes `argon2Passwords()`. */
export const cheapPasswords = argon2Passwords({ memory: 256, passes: 1, parallelism: 1 });

// Once for all test files of a process.
const all = await operations();
const https = new Map(ofKind(all, 'http').map((one) => [one.name, one]));
const [authorizer] = ofKind(all, 'authorizer');
if (authorizer === undefined) {
  throw new Error('There is no authorizer');
}

const assetProviders = new Map<string, Promise<Provider>>();

/** Made once for all tests of a process: to compress a document takes longer than many a test. */
function assetProvider(name: string): Promise<Provider> {
  const provider = assetProviders.get(name) ?? builtAsset(name, all).then(provideAsset);
  assetProviders.set(name, provider);
  return provider;
}

/** The product in this process: every HTTP operation over an embedded database, with a table of its own. */
export async function startProduct(): Promise<Product> {
  const database = await startTestDatabase();
  const { tableName } = database;
  const secret = await newSigningSecret(1, new Date());
  const environment = { ...process.env, TABLE_NAME: tableName };
  const keys = signingKeys({ read: async () => secret, write: async () => undefined });
  const signer = tokenSigner(keys);
  const sms = recordingSms();
  const mail = recordingMail();
  const queues = {
    keptRequests: recordingQueue(),
    outgoingMail: recordingQueue(),
    outgoingTexts: recordingQueue(),
    workflowRuns: recordingQueue(),
  };
  const givenUp = recordingGivenUp(queues.keptRequests);
  const providers: Providers = {
    givenUp: () => givenUp,
    table: provideTable(environment, unhurried),
    callerRecords: provideCallerRecords(environment, unhurried),
    organizations: provideOrganizations(environment, unhurried),
    identity: provideIdentity(environment, unhurried),
    platform: providePlatform(environment, unhurried),
    spending: provideSpending(environment, unhurried),
    tokens: () => signer,
    passwords: () => cheapPasswords,
    sms: () => sms,
    mail: () => mail,
    keptRequests: () => queues.keptRequests,
    queue: () => queues.outgoingTexts,
    newcomerPolicy: () => newcomerPolicies.open,
    socketUrl: () => `wss://${domainName}/live`,
  };
  const objects = testObjects();
  const verifier = tokenVerifier(publicKeysOf(secret));
  const authorizerProviders: Providers = { tokens: () => verifier };

  /** The ports that are something else for each access. */
  async function providersByAccess({ asset, objects: access }: Uses): Promise<Providers> {
    return {
      ...(asset && { asset: await assetProvider(asset) }),
      ...(access && { objects: await objects.provider(access) }),
    };
  }

  const due = await Promise.all(
    ofKind(all, 'due').map(async (one) => ({ ...one, own: await providersByAccess(one.operation.uses) })),
  );
  const performed = await Promise.all(
    stepOperations(all).map(async (one) => ({ ...one, own: await providersByAccess(one.operation.uses) })),
  );
  providers.stepOperations = (scope) =>
    provideStepOperations(
      performed.map(({ own, name, operation }) => ({
        name,
        load: async () => operation,
        providers: { ...own, ...providers },
      })),
    )(scope);
  // Made anew for each run, because tests put other providers in.
  providers.dueOperations = (scope) =>
    provideDueOperations(due.map(({ own, ...one }) => ({ ...one, providers: { ...own, ...providers } })))(
      scope,
    );

  async function call(name: string, call: Call = {}): Promise<Answer> {
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
      { ...(await providersByAccess(usesOf(operation))), ...providers },
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
  }

  async function signedUp(body: Record<string, unknown>, token?: string): Promise<Person> {
    const email = `${randomUUID()}@example.com`;
    const answer = await call('register', {
      token,
      body: { email, password, firstName: 'Test', lastName: 'Person', ...body },
    });
    if (answer.status !== 201) {
      throw new Error(`Registration answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    const { user, refreshToken, socketToken } = answer.body;
    return {
      userId: user.id,
      organizationId: user.organizationId,
      email: user.email,
      role: user.accessRole,
      token: answer.body.token,
      refreshToken,
      socketToken,
    };
  }

  return {
    call,
    newOrganization: () => signedUp({ role: 'ADMIN' }),
    newColleague: (admin, role = 'SALES_REP', more = {}) =>
      signedUp({ role, organizationId: admin.organizationId, ...more }, admin.token),
    async newSuperadmin(admin) {
      const person = await (admin === undefined
        ? signedUp({ role: 'ADMIN' })
        : signedUp({ role: 'ADMIN', organizationId: admin.organizationId }, admin.token));
      await grantSuperadmin(person.email, environment);
      const { body } = await call('refresh', { body: { refreshToken: person.refreshToken } });
      const { token, refreshToken, socketToken } = body;
      return { ...person, role: 'SUPERADMIN', token, refreshToken, socketToken };
    },
    tableOf(organizationId) {
      const { clock, ports } = newInvocation(systemRuntime, providers);
      const { organizations } = ports({ organizations: 'write' }, undefined) as Ports<{
        organizations: 'write';
      }>;
      return { moment: clock, table: organizations(organizationId) };
    },
    sms,
    givenUp,
    sentMessages: sms.sent,
    mail,
    queues,
    providers,
    authorizerProviders,
    objects,
    tableName,
    secret,
    stop: async () => void (await Promise.all([database.stop(), objects.stop()])),
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
