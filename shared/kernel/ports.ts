import type { Passwords } from '../auth/passwords.ts';
import type { SigningSecretStore } from '../auth/signing-secret.ts';
import type { TokenSigner, TokenVerifier } from '../auth/tokens.ts';
import type { Sockets } from '../live/sockets.ts';
import type { SmsProvider } from '../messages/sms-provider.ts';
import type { Attachments, DocumentReader, Documents, Exports, Uploads } from '../objects/objects.ts';
import type { TableReader, TableWriter } from '../table/table.ts';
import type { Asset } from './asset.ts';
import type { Caller } from './caller.ts';
import type { ClockAndIds } from './operation.ts';

/**
 * Every port there is, by name and access. An operation declares `uses: { table: 'write' }` and is given exactly that:
 * an undeclared port, or a write under `read`, does not compile.
 */
export interface PortTypes {
  /** The table, bound to the organization that the caller acts in. */
  table: { read: TableReader; write: TableWriter };
  /** Whether the organization that the caller acts in exists. The kernel's own; no operation declares it. */
  callerOrganization: { check: { exists(): Promise<boolean> } };
  /** The table of a named organization, for what runs before there is a caller or on behalf of all of them. */
  organizations: {
    read: (organizationId: string) => TableReader;
    write: (organizationId: string) => TableWriter;
  };
  /** What really crosses organizations: e-mail locks, sessions, login throttles. */
  identity: { read: TableReader<'identity'>; write: TableWriter<'identity'> };
  /** Tokens: `verify` holds public keys only, `sign` reads the signing secret. */
  tokens: { verify: TokenVerifier; sign: TokenSigner };
  passwords: { hash: Passwords };
  /** The signing secret itself, for the deployment step that makes its keys. */
  signingSecret: { rotate: SigningSecretStore };
  /** Open WebSocket connections. */
  sockets: { post: Sockets };
  /** Where clients connect for live events: `wss://…`. */
  socketUrl: { read: string };
  /** What users of no organization share: the registry of AI models. */
  platform: { read: TableReader<'platform'>; write: TableWriter<'platform'> };
  /** Objects of the organization that the caller acts in, by what they are for. */
  objects: {
    attachments: Attachments;
    uploads: Uploads;
    storedDocuments: DocumentReader;
    documents: Documents;
    exports: Exports;
  };
  /** The provider that sends text messages. */
  sms: { send: SmsProvider };
  /** A document made when the bundle is built: `infra/assets.ts` has the makers. */
  asset: { openapi: Asset; asyncapi: Asset; documentation: Asset; routes: Asset };
}

export type PortName = keyof PortTypes;

/** What one call knows when its ports are made. */
export interface InvocationScope extends ClockAndIds {
  readonly caller: Caller | undefined;
  /** The organization that the port `table` is bound to. */
  readonly organizationId: string | undefined;
  readonly meter: Meter;
  /** A number in [0, 1), for the jitter of a backoff. */
  random(): number;
}

/** Makes a port for one call. Created once per process, so that connections and keys outlive the call. */
export type Provider = (call: InvocationScope) => unknown;

/** Consumed capacity and round trips of one call. */
export interface Meter {
  record(trip: { operation: string; read: number; write: number; start: number; end: number }): void;
}

/** What one call consumed. */
export interface Consumption {
  /** Requests to the table. */
  requests: number;
  /** The longest chain of requests of which each began after the one before had ended. */
  roundTrips: number;
  readUnits: number;
  writeUnits: number;
}

/** A meter that adds up. */
export function consumptionMeter(): Meter & { total(): Consumption } {
  const trips: { read: number; write: number; start: number; end: number }[] = [];
  return {
    record: (trip) => void trips.push(trip),
    total() {
      let roundTrips = 0;
      let chainEnd = Number.NEGATIVE_INFINITY;
      for (const { start, end } of [...trips].sort((a, b) => a.end - b.end)) {
        if (start >= chainEnd) {
          roundTrips += 1;
          chainEnd = end;
        }
      }
      return {
        requests: trips.length,
        roundTrips,
        readUnits: trips.reduce((sum, { read }) => sum + read, 0),
        writeUnits: trips.reduce((sum, { write }) => sum + write, 0),
      };
    },
  };
}
