import { randomUUID } from 'node:crypto';
import { grantSuperadmin } from '../../infra/grant-superadmin.ts';
import { argon2Passwords } from '../../shared/auth/passwords.ts';
import {
  newSigningSecret,
  publicKeysOf,
  type SigningSecret,
  signingKeys,
} from '../../shared/auth/signing-secret.ts';
import { tokenSigner, tokenVerifier } from '../../shared/auth/tokens.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import type { QueueName } from '../../shared/kernel/message-queue.ts';
import type { ClockAndIds, Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { newcomerPolicies } from '../../shared/organizations/newcomer-policy.ts';
import { provideSpending } from '../../shared/ports/spending.ts';
import {
  provideCallerRecords,
  provideIdentity,
  provideOrganizations,
  providePlatform,
  provideTable,
} from '../../shared/ports/table.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { type ApiResponse, type Call, callsThrough } from './call.ts';
import { startTestDatabase } from './database.ts';
import { unhurried } from './eventually.ts';
import { domainName } from './gateway.ts';
import { type RecordingGivenUp, recordingGivenUp } from './given-up.ts';
import { type TestObjects, testObjects } from './objects.ts';
import { operationProviders } from './providers.ts';
import { type RecordingQueue, recordingQueue } from './queues.ts';
import { type RecordingMail, recordingMail } from './recording-mail.ts';
import { type RecordingSms, recordingSms } from './recording-sms.ts';

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
  call(name: string, call?: Call): Promise<ApiResponse>;
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
  Object.assign(providers, await operationProviders(providers, objects));
  const call = callsThrough({ providers, authorizerProviders, objects });

  async function signedUp(body: Record<string, unknown>, token?: string): Promise<Person> {
    const email = `${randomUUID()}@example.com`;
    const response = await call('register', {
      token,
      body: { email, password, firstName: 'Test', lastName: 'Person', ...body },
    });
    if (response.status !== 201) {
      throw new Error(`Registration answered ${response.status}: ${JSON.stringify(response.body)}`);
    }
    const { user, refreshToken, socketToken } = response.body;
    return {
      userId: user.id,
      organizationId: user.organizationId,
      email: user.email,
      role: user.accessRole,
      token: response.body.token,
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
