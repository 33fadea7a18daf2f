import type { DueOperations } from '../events/due-operation.ts';
import type { StepOperations } from '../events/step-operations.ts';
import type { Passwords } from '../kernel/auth/passwords.ts';
import type { SigningSecretStore } from '../kernel/auth/signing-secret.ts';
import type { TokenSigner, TokenVerifier } from '../kernel/auth/tokens.ts';
import type { GivenUp } from '../kernel/providers/given-up.ts';
import type { MailProvider, MailSender } from '../kernel/providers/mail-provider.ts';
import type {
  Attachments,
  DocumentReader,
  Documents,
  Downloads,
  Erasure,
  ExportFiles,
  Exports,
  ImportFiles,
  NewAttachments,
  Uploads,
} from '../kernel/providers/objects.ts';
import type { OutgoingPosts } from '../kernel/providers/outgoing-posts.ts';
import type { SmsProvider } from '../kernel/providers/sms-provider.ts';
import type { Sockets } from '../kernel/providers/sockets.ts';
import type { SecretOpener, SecretSealer } from '../kernel/secrets/sealed-secrets.ts';
import type { TrialPolicy } from '../organizations/trial-policy.ts';
import type { TableReader, TableWriter } from '../table/table.ts';
import type { KeyUses } from './key-uses.ts';
import type { RateLimits } from './rate-limits.ts';

/** The ports that connect operations to AWS, to providers and to each other, beside those of the kernel. */
declare module '../kernel/ports.ts' {
  interface PortTypes {
    /** The table, bound to the organization that the caller acts in. */
    table: { read: TableReader; write: TableWriter };
    /** The table of any organization, for operations without a caller or on behalf of all organizations. */
    organizations: {
      read: (organizationId: string) => TableReader;
      write: (organizationId: string) => TableWriter;
    };
    /** Records outside any organization: email locks, sessions, login throttles. */
    identity: { read: TableReader<'identity'>; write: TableWriter<'identity'> };
    /** When API keys were used last. */
    keyUses: { note: KeyUses };
    /** Limits on a user's expensive reading, and on the requests of one caller. */
    rateLimits: { limit: RateLimits };
    /** Tokens: `verify` holds only public keys, `sign` reads the signing secret. */
    tokens: { verify: TokenVerifier; sign: TokenSigner };
    passwords: { hash: Passwords };
    /** The signing secret itself, for the deployment step that creates its keys. */
    signingSecret: { rotate: SigningSecretStore };
    /** Secrets in records: `open` reads them, `seal` writes them, too. */
    secrets: { open: SecretOpener; seal: SecretSealer };
    /** Open WebSocket connections. */
    sockets: { post: Sockets };
    /** Open WebSocket connections that an organization may have. */
    connectionLimit: { read: number };
    /** Where clients connect for live events: `wss://…`. */
    socketUrl: { read: string };
    /** Records that belong to no single organization: the registry of AI models, and what is due in all of them. */
    platform: { read: TableReader<'platform'>; write: TableWriter<'platform'> };
    /** Objects of the organization that the caller acts in, by purpose; `downloads`, `plans` and `erasure` are for any organization. */
    objects: {
      downloads: (organizationId: string) => Downloads;
      attachments: Attachments;
      newAttachments: NewAttachments;
      uploads: Uploads;
      importFiles: ImportFiles;
      storedDocuments: DocumentReader;
      documents: Documents;
      plans: (organizationId: string) => DocumentReader;
      exports: Exports;
      exportFiles: (organizationId: string) => ExportFiles;
      erasure: (organizationId: string) => Erasure;
    };
    /** The provider that sends text messages. */
    sms: { send: SmsProvider };
    /** The provider that sends mail; `sender` only tells whether there is one. */
    mail: { send: MailProvider; sender: MailSender };
    /** Posts to addresses outside that users choose. */
    outgoingPosts: { send: OutgoingPosts };
    /** Requests to the service itself, in the name of a caller whose bearer they carry: the gateway and the kernel check each like any other. */
    ownRequests: { forward: (request: Request) => Promise<Response> };
    /** Everything that failed too often: dead letters and failed batches of every organization. */
    givenUp: { erase: GivenUp };
    /** All operations that do what is due, for the clock. */
    dueOperations: { run: DueOperations };
    /** The operations that steps of workflows perform. `simulate` may only read: what it builds must not be committed. */
    stepOperations: { run: StepOperations; simulate: StepOperations };
    /** How much people and organizations may do that the operator of the service does not know. */
    trialPolicy: { read: TrialPolicy };
  }
}
