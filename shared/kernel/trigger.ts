import type { Claims } from './caller.ts';
import type { Deadline } from './deadline.ts';
import type { Refusal } from './failure.ts';
import type { QueueTakenBy } from './message-queue.ts';
import type { ClockAndIds, Ports, Uses } from './operation.ts';
import type { Reply, ReplyName } from './schemas/reply-schemas.ts';

/** An operation without its precise types: the last argument of `run` depends on what it declares. */
export type Untyped<Kind, Definition extends { run: unknown }> = Omit<Definition, 'run'> & {
  readonly kind: Kind;
  run: Definition['run'] extends (...given: [...infer Given, never]) => infer Result
    ? (...given: [...Given, context: unknown]) => Result
    : never;
};

// The kernel passes exactly what a definition declares, so erasing the precise types here is safe.
export const untyped = <O extends { kind: string }>(kind: O['kind'], definition: object) =>
  ({ kind, ...definition }) as unknown as O;

export interface SocketRequest {
  readonly connectionId: string;
  /** The token of the query string; only for `$connect`. */
  readonly token: string | undefined;
  /** The parsed frame; undefined when it is not a JSON object. */
  readonly frame: Record<string, unknown> | undefined;
}

interface SocketDefinition<U extends Uses, Name extends ReplyName> {
  /** `$connect`, `$disconnect`, `$default`, or the `action` of a frame. */
  readonly on: string;
  readonly summary: string;
  /** The meaning of its frame's fields beside `action`, for the documentation. All are required strings. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The frames in reply, beside `error`, which any route may send. */
  readonly replies?: readonly Name[];
  readonly uses: U;
  /** Resolves with the frame in reply, or undefined for none. `Refused`, thrown by `$connect`, refuses the handshake. */
  run(
    request: SocketRequest,
    context: Ports<U> & ClockAndIds,
  ): Promise<Reply<NoInfer<Name> | 'error'> | undefined>;
}

/** A function behind a route of the WebSocket API. */
export type SocketOperation = Untyped<'socket', SocketDefinition<Uses, ReplyName>>;

export const socketOperation = <const U extends Uses, const Name extends ReplyName = never>(
  definition: SocketDefinition<U, Name>,
) => untyped<SocketOperation>('socket', definition);

/** One change of the table, as its stream reports it. */
export interface TableChange {
  readonly partition: string;
  readonly sort: string;
  /** The record after the change, decoded; undefined when it was removed. */
  readonly data: unknown;
  /** The record before the change, decoded; undefined when it was added. */
  readonly before: unknown;
  /** The strings and numbers among the item's native attributes after the change. */
  readonly attributes: Readonly<Record<string, string | number>>;
}

export type ChangeKind = 'INSERT' | 'MODIFY' | 'REMOVE';

/** Figures for the log line of a run. With a `problem`, the work is postponed, and the line is an error, which sets off an alarm. */
export interface Report {
  readonly [figure: string]: unknown;
  readonly problem?: unknown;
}

/**
 * Who reads changes from the stream. There are two, whatever the number of operations: DynamoDB throttles a shard that more read.
 * `live` is for what people look at and wait for; the operations of `background` may have to wait for each other's retries.
 */
export type StreamReader = 'live' | 'background';

interface StreamDefinition<U extends Uses> {
  readonly reader: StreamReader;
  /** The kinds of change, and the prefixes of the changed item's keys; `''` and none mean any. */
  readonly on: {
    readonly change: ChangeKind | readonly ChangeKind[];
    readonly sortPrefix: string;
    readonly partitionPrefix?: string;
  };
  readonly summary: string;
  readonly uses: U;
  run(changes: readonly TableChange[], context: Ports<U> & ClockAndIds): Promise<void> | Promise<Report>;
}

/**
 * A consumer of the table's stream. Changes that it fails on are retried in order, then in smaller batches; it may get some
 * changes twice.
 */
export type StreamOperation = Untyped<'stream', StreamDefinition<Uses>>;

export const streamOperation = <const U extends Uses>(definition: StreamDefinition<U>) =>
  untyped<StreamOperation>('stream', definition);

/** The kinds of change that an operation asks for. */
export function changeKinds({ on }: Pick<StreamOperation, 'on'>): ChangeKind[] {
  return [on.change].flat();
}

interface QueueDefinition<U extends Uses> {
  /** The queue whose messages it takes; no other operation takes them. */
  readonly queue: QueueTakenBy<'queue'>;
  readonly summary: string;
  readonly uses: U;
  /**
   * Takes one message, parsed from JSON; only this service sends them. It may get some messages twice, and in any order. `now` is when the
   * message was received, `clock` tells the current time. `delivery` counts the deliveries of this message, from 1: earlier ones failed,
   * or their process ended, perhaps because of another message.
   */
  run(
    message: unknown,
    context: Ports<U> & ClockAndIds & { clock(): Date; readonly delivery: number },
  ): Promise<Report>;
}

/** The consumer of a queue. A message that it fails on is delivered again, and at last goes to the dead-letter queue. */
export type QueueOperation = Untyped<'queue', QueueDefinition<Uses>>;

export const queueOperation = <const U extends Uses>(definition: QueueDefinition<U>) =>
  untyped<QueueOperation>('queue', definition);

interface OrderedQueueDefinition<U extends Uses> {
  /** The queue whose messages it takes; no other operation takes them. */
  readonly queue: QueueTakenBy<'orderedQueue'>;
  readonly summary: string;
  readonly uses: U;
  /**
   * Takes one message, parsed from JSON; only this service sends them. Until it ends, nobody gets the next message of the group. After a
   * failure it gets the message again, and later ones of the group wait for it. `sentAt` is when the message was sent, `clock` tells the
   * current time.
   */
  run(
    message: unknown,
    context: Ports<U> & ClockAndIds & { clock(): Date; readonly sentAt: Date },
  ): Promise<Report>;
}

/** The consumer of an ordered queue: groups do not wait for each other. */
export type OrderedQueueOperation = Untyped<'orderedQueue', OrderedQueueDefinition<Uses>>;

export const orderedQueueOperation = <const U extends Uses>(definition: OrderedQueueDefinition<U>) =>
  untyped<OrderedQueueOperation>('orderedQueue', definition);

interface ScheduleDefinition<U extends Uses> {
  readonly on: {
    readonly everyMinutes: number;
    /** How many runs begin at the same time, each with its own `part`: one unless stated, at most five. */
    readonly parts?: number;
  };
  readonly summary: string;
  readonly uses: U;
  /**
   * Does its `part` of the work (from 0) until shortly before the deadline, leaves the rest to the next run, and returns figures for
   * its log line.
   */
  run(
    context: Ports<U> & ClockAndIds & { readonly deadline: Deadline; readonly part: number },
  ): Promise<Readonly<Record<string, number>>>;
}

/** A function that runs at intervals. Two runs may overlap, and one may be missing: neither must matter. */
export type ScheduleOperation = Untyped<'schedule', ScheduleDefinition<Uses>>;

export const scheduleOperation = <const U extends Uses>(definition: ScheduleDefinition<U>) =>
  untyped<ScheduleOperation>('schedule', definition);

interface AuthorizerDefinition<U extends Uses> {
  readonly summary: string;
  readonly uses: U;
  run(request: { authorization: string }, context: Ports<U> & ClockAndIds): Promise<Claims | Refusal>;
}

/** The HTTP API's authorizer: adds verified claims to a request, or the reason for their absence. */
export type AuthorizerOperation = Untyped<'authorizer', AuthorizerDefinition<Uses>>;

export const authorizerOperation = <const U extends Uses>(definition: AuthorizerDefinition<U>) =>
  untyped<AuthorizerOperation>('authorizer', definition);

interface DeploymentDefinition<U extends Uses> {
  readonly summary: string;
  readonly uses: U;
  run(properties: Record<string, string>, context: Ports<U> & ClockAndIds): Promise<Record<string, string>>;
}

/** A step of every deployment, run as a CloudFormation custom resource. The template can read its result. */
export type DeploymentOperation = Untyped<'deployment', DeploymentDefinition<Uses>>;

export const deploymentOperation = <const U extends Uses>(definition: DeploymentDefinition<U>) =>
  untyped<DeploymentOperation>('deployment', definition);
