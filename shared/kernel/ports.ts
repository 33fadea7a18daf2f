import type { Origin } from './actor.ts';
import type { Caller, Role } from './caller.ts';
import type { Deadline } from './deadline.ts';
import type { Asset } from './http/asset.ts';
import type { LimitUse } from './limit-policy.ts';
import type { MessageQueue, OperationQueueName } from './message-queue.ts';
import type { ClockAndIds } from './operation.ts';

/**
 * The ports, by name and access. An operation that declares `uses: { table: 'write' }` gets exactly that: an undeclared port, or
 * a write with `read`, does not compile. These are the kernel's own; `shared/ports/port-types.ts` adds the ports that connect operations to
 * AWS and to providers.
 */
export interface PortTypes {
  /** The stored records of the caller. The kernel uses them; no operation declares them. */
  callerRecords: { check: CallerRecords };
  /** What became of requests with a key. The kernel uses it; no operation declares it. */
  idempotency: { keep: Idempotency };
  /** Takes requests that cannot be applied now. The kernel uses it; no operation declares it. */
  deferredRequests: { defer: MessageQueue };
  /** Queues, whose messages a `queueOperation` or an `orderedQueueOperation` takes. */
  queue: Readonly<Record<OperationQueueName, MessageQueue>>;
  /** The queue `webhookPosts`, for operations that may send to another queue, too. */
  webhookPosts: { send: MessageQueue };
  /** A document that `infra/bundle/assets.ts` makes when the bundle is built. */
  asset: {
    openapi: Asset;
    asyncapi: Asset;
    documentation: Asset;
    documentationIndex: Asset;
    documentationText: Asset;
    routes: Asset;
    tools: Asset;
    workflowNodeTypes: Asset;
    client: Asset;
    clientTypes: Asset;
  };
}

export type PortName = keyof PortTypes;

/** The stored records of the caller, whose token may be older. */
export interface CallerRecords {
  /** Whether the organization that the caller acts in exists. */
  organizationExists(): Promise<boolean>;
  /** What the caller may do now; undefined if the user is disabled or gone, or the API key deleted, expired or replaced. */
  currentStanding(): Promise<Standing | undefined>;
}

/** What the stored records say of a caller. */
export interface Standing {
  /** The role of the caller's user now, or about a second ago; with an API key at most the role when the key was made. */
  readonly role: Role;
  /** The version of the API key's record, on which every transaction of the caller depends; undefined without a key. */
  readonly keyVersion?: number;
}

/** A request with the header `Idempotency-Key`. */
export interface KeyedRequest {
  readonly key: string;
  /** Of everything by which two requests can differ. */
  readonly digest: string;
  /** Milliseconds after which the platform has ended its invocation. */
  readonly longestRun: number;
}

/** The response to a request that succeeded, as it is stored under its key. */
export interface Answer {
  readonly status: number;
  /** The JSON text. */
  readonly body: string;
  /** The text to store instead: without the secrets that the response shows. */
  readonly kept?: string;
}

/** Runs requests with a key, so that however often one of them is sent, it has one effect and one response. */
export interface Idempotency {
  /**
   * The response that is stored for the request; otherwise that of the run, which is stored in the transaction of what the run commits.
   * The run may be repeated until it commits. All its requests go through the ports that were made with `writes`.
   * @throws a 422 `Failure` for a key that was used for another request, a 409 while an equal request is running; what the run throws.
   */
  answerOnce(
    request: KeyedRequest,
    run: (writes: RunWrites) => Promise<Answer>,
  ): Promise<Answer & { readonly isRepeated: boolean }>;
}

/** The writes of one run of a request with a key. */
export interface RunWrites {
  /** Stays the same when the request is run again because its process ended. */
  readonly runId: string;
  /** Takes the actions of a transaction, which `send` commits, with others. For `isAhead` see `CommitOptions` of the table. */
  commit<Action>(
    actions: readonly Action[],
    send: (all: readonly Action[]) => Promise<void>,
    isAhead: boolean,
  ): Promise<void>;
  /** Waited for before any other request. */
  before(kind: 'read' | 'write'): Promise<void>;
}

/** How many requests to an operation one caller may send. */
export interface Share {
  /** After a pause. */
  readonly atOnce: number;
  /** In the long run. */
  readonly eachSecond: number;
}

/** Who sent a request: a user, or somebody without a token, who is known by the network alone. */
export interface Requester {
  readonly userId: string | undefined;
  readonly sourceIp: string;
}

/** Limits how many requests one caller may send. */
export interface RequestLimits {
  /**
   * Does the work of one request to a route.
   * @throws a 429 `Failure` instead while the requester's share is used up, as far as this process knows.
   */
  limitRequests<Result>(
    route: string,
    share: Share,
    requester: Requester,
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** The invocation, as far as a provider knows it. */
export interface InvocationScope extends ClockAndIds {
  readonly caller: Caller | undefined;
  /** The organization that the port `table` is bound to. */
  readonly organizationId: string | undefined;
  /** Of whatever the invocation writes. */
  readonly origin: Origin;
  readonly meter: Meter;
  readonly deadline: Deadline;
  /** Every write waits for it, and fails with it: whether the caller may write is looked up while the operation reads already. */
  readonly mayWrite?: Promise<Standing> | undefined;
  /** Whatever the invocation writes goes through it: only for the run of a request with a key. */
  readonly writes?: RunWrites | undefined;
  /** A number in [0, 1), for the jitter of a backoff. */
  random(): number;
}

/** The part of an invocation that holds back what it changes. */
export type SendingScope = Pick<InvocationScope, 'mayWrite' | 'writes'>;

/** Waited for before anything that cannot be taken back, by every port that changes or sends something. @throws if it must not happen. */
export async function requireWritable({ mayWrite, writes }: SendingScope): Promise<void> {
  await writes?.before('write');
  await mayWrite;
}

/**
 * Creates a port for one invocation. A provider itself is created once for each process, so that connections and keys survive.
 */
export type Provider = (call: InvocationScope) => unknown;

/** Records the capacity units and the requests of one invocation, and what it has drawn on limits. */
export interface Meter {
  record(trip: { operation: string; read: number; write: number; start: number; end: number }): void;
  total(): Consumption;
  draw(...uses: readonly LimitUse[]): void;
  /** What is left of each limit after the last draw on it. */
  drawn(): readonly LimitUse[];
}

export interface Consumption {
  /** Requests to the table. */
  requests: number;
  /** The longest chain of requests in which each began after the one before had ended. */
  roundTrips: number;
  readUnits: number;
  writeUnits: number;
}

/** A meter that adds everything up. */
export function consumptionMeter(): Meter {
  const uses = new Map<string, LimitUse>();
  const trips: { read: number; write: number; start: number; end: number }[] = [];
  return {
    record: (trip) => void trips.push(trip),
    draw(...drawn) {
      for (const use of drawn) {
        uses.set(use.policy.name, use);
      }
    },
    drawn: () => [...uses.values()],
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
