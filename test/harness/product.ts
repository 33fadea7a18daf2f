import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';
import {
  createSigningSecret,
  publicKeySet,
  type SigningSecret,
  signingKeys,
} from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner, tokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { queues as allQueues, type QueueName } from '../../shared/kernel/message-queue.ts';
import type { ClockAndIds, Ports } from '../../shared/kernel/operation.ts';
import type { Provider } from '../../shared/kernel/ports.ts';
import { keyLength } from '../../shared/kernel/secrets/authenticated-cipher.ts';
import { secretSealer } from '../../shared/kernel/secrets/sealed-secrets.ts';
import { newInvocation, type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { provideIdempotency } from '../../shared/ports/idempotency.ts';
import { provideKeyUses } from '../../shared/ports/key-uses.ts';
import { provideOutgoingPosts } from '../../shared/ports/outgoing-posts.ts';
import { provideOwnRequests } from '../../shared/ports/own-requests.ts';
import { provideRateLimits } from '../../shared/ports/rate-limits-port.ts';
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
import { portTo, type RecordingQueue, recordingQueue } from './queues.ts';
import { type RecordingMail, recordingMail } from './recording-mail.ts';
import { type RecordingSms, recordingSms } from './recording-sms.ts';
import { type Newcomer, signUp } from './sign-up.ts';

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
  /** A new organization's first user, an ADMIN. */
  newOrganization(): Promise<Person>;
  /** A new user of an organization. */
  newColleague(admin: Person, role?: Role, more?: Omit<Newcomer, 'role'>): Promise<Person>;
  /** New users of an organization, all at once. */
  newColleagues<const Newcomers extends readonly Newcomer[]>(
    admin: Person,
    newcomers: Newcomers,
  ): Promise<{ [Index in keyof Newcomers]: Person }>;
  /** A SUPERADMIN of an organization of their own, or of that of an admin. */
  newSuperadmin(admin?: Person): Promise<Person>;
  /** The table of an organization as a port, to prepare data that no operation creates. */
  tableOf(organizationId: string): { table: TableWriter; moment: ClockAndIds };
  /** The SMS provider: tell it here to refuse a number, or to be unavailable for it. */
  readonly sms: RecordingSms;
  /** Text messages that the product has sent, oldest first. */
  readonly sentMessages: RecordingSms['sent'];
  /** The provider of email: tell it here to refuse an address, or to be unavailable. */
  readonly mail: RecordingMail;
  /** Work that waits for another attempt: deferred requests, mail and text messages that could not be sent, runs of workflows. */
  readonly queues: Readonly<Record<QueueName, RecordingQueue>>;
  /** Dead letters and failed batches; empty unless a test adds some. */
  readonly givenUp: RecordingGivenUp;
  /** The providers by port. A test may replace them. */
  readonly providers: Providers;
  /** The providers of the authorizer. */
  readonly authorizerProviders: Providers;
  readonly objects: TestObjects;
  readonly tableName: string;
  readonly secret: SigningSecret;
  stop(): Promise<void>;
}

export const password = 'correct horse battery';

/** Real hashes with cheap parameters: the usual ones take 25 ms of a core on purpose. Tests of that cost use `argon2Passwords()`. */
export const cheapPasswords = argon2Passwords({ memory: 256, passes: 1, parallelism: 1 });

/** The key that seals secrets in tests. */
const sealingKey = Buffer.alloc(keyLength, 7);

/** The product in this process: every HTTP operation over an embedded database, with a table of its own. */
export async function startProduct(): Promise<Product> {
  const database = await startTestDatabase();
  const { tableName } = database;
  const secret = await createSigningSecret(1, new Date());
  const environment = { ...process.env, TABLE_NAME: tableName };
  const keys = signingKeys({ read: async () => secret });
  const signer = tokenSigner(keys);
  const sms = recordingSms();
  const mail = recordingMail();
  const queues = Object.fromEntries(Object.keys(allQueues).map((name) => [name, recordingQueue()])) as Record<
    QueueName,
    RecordingQueue
  >;
  const givenUp = recordingGivenUp(queues.deferredRequests);
  const providers: Providers = {
    givenUp: () => givenUp,
    table: provideTable(environment, unhurried),
    callerRecords: provideCallerRecords(environment, unhurried),
    idempotency: provideIdempotency(environment, unhurried),
    organizations: provideOrganizations(environment, unhurried),
    identity: provideIdentity(environment, unhurried),
    platform: providePlatform(environment, unhurried),
    rateLimits: provideRateLimits(environment, unhurried),
    tokens: () => signer,
    secrets: () => secretSealer(async () => sealingKey),
    passwords: () => cheapPasswords,
    sms: () => sms,
    mail: () => mail,
    deferredRequests: portTo(queues.deferredRequests),
    queue: portTo(queues.outgoingTexts),
    ownRequests: provideOwnRequests(),
    webhookPosts: portTo(queues.webhookPosts),
    outgoingPosts: provideOutgoingPosts({ OUTGOING_POSTS: 'local' }),
    trialPolicy: () => trialPolicies.open,
    connectionLimit: () => 2_000,
    socketUrl: () => `wss://${domainName}/live`,
  };
  const objects = testObjects();
  const verifier = tokenVerifier(publicKeySet(secret));
  const authorizerProviders: Providers = {
    tokens: () => verifier,
    identity: providers.identity as Provider,
    organizations: providers.organizations as Provider,
    keyUses: provideKeyUses(environment, unhurried),
  };
  Object.assign(providers, await operationProviders(providers, objects));
  const call = callsThrough({ providers, authorizerProviders, objects });

  const newcomers = (of: readonly Newcomer[], organizationId?: string) =>
    signUp(providers, password, of, organizationId);
  const newcomer = async (one: Newcomer, organizationId?: string) =>
    (await newcomers([one], organizationId))[0] as Person;

  return {
    call,
    newOrganization: () => newcomer({ role: 'ADMIN' }),
    newColleague: ({ organizationId }, role = 'SALES_REP', more = {}) =>
      newcomer({ role, ...more }, organizationId),
    newColleagues: ({ organizationId }, of) => newcomers(of, organizationId) as Promise<never>,
    newSuperadmin: (admin) => newcomer({ role: 'SUPERADMIN' }, admin?.organizationId),
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
