import type { Reply, ReplyName } from '../live/schemas/reply-schemas.ts';
import type { Claims } from './caller.ts';
import type { Refusal } from './failure.ts';
import type { ClockAndIds, Ports, Uses } from './operation.ts';

/** Who sent a frame, and over which connection. */
export interface SocketRequest {
  readonly connectionId: string;
  /** The token of the query string; only at `$connect`. */
  readonly token: string | undefined;
  /** The frame as JSON; undefined when it is not a JSON object. */
  readonly frame: Record<string, unknown> | undefined;
}

/** The frame that answers, or undefined for none. Thrown `Refused` at `$connect` refuses the handshake. */
export type SocketReply = Reply | undefined;

/** A function behind a route of the WebSocket API. `on` is `$connect`, `$disconnect`, `$default` or a frame's `action`. */
export interface SocketOperation {
  readonly kind: 'socket';
  readonly on: string;
  readonly summary: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly answers?: readonly ReplyName[];
  readonly uses: Uses;
  run(request: SocketRequest, context: unknown): Promise<SocketReply>;
}

export function socketOperation<const U extends Uses, const Answer extends ReplyName = never>(definition: {
  on: string;
  summary: string;
  /** What the fields of its frame mean beside `action`, for the documentation. All of them are texts, and required. */
  fields?: Readonly<Record<string, string>>;
  /** The frames that answer, beside `error`, which may answer any. */
  answers?: readonly Answer[];
  uses: U;
  run(
    request: SocketRequest,
    context: Ports<U> & ClockAndIds,
  ): Promise<Reply<NoInfer<Answer> | 'error'> | undefined>;
}): SocketOperation {
  return { kind: 'socket', ...definition } as unknown as SocketOperation;
}

/** One change of the table, as its stream tells it. */
export interface TableChange {
  readonly partition: string;
  readonly sort: string;
  /** The record after the change, decoded; undefined when it was removed. */
  readonly data: unknown;
}

/**
 * Who reads changes from the stream. There are two, whatever the number of operations: DynamoDB throttles a shard that more read.
 * `live` is for what people look at and wait for; the operations of `background` may have to wait for each other's retries.
 */
export type StreamReader = 'live' | 'background';

/**
 * A consumer of the table's stream. Changes that it cannot take now are retried in order, then in smaller batches; it may be told
 * again of some that it has taken.
 */
export interface StreamOperation {
  readonly kind: 'stream';
  readonly reader: StreamReader;
  readonly on: { readonly change: 'INSERT' | 'REMOVE'; readonly sortPrefix: string };
  readonly summary: string;
  readonly uses: Uses;
  run(changes: readonly TableChange[], context: unknown): Promise<void>;
}

export function streamOperation<const U extends Uses>(definition: {
  reader: StreamReader;
  /** The kind of change, and what the sort key of the changed item starts with. */
  on: { change: 'INSERT' | 'REMOVE'; sortPrefix: string };
  summary: string;
  uses: U;
  run(changes: readonly TableChange[], context: Ports<U> & ClockAndIds): Promise<void>;
}): StreamOperation {
  return { kind: 'stream', ...definition } as unknown as StreamOperation;
}

/** What runs by the clock. Two runs may overlap, and one may be left out: neither must matter. */
export interface ScheduleOperation {
  readonly kind: 'schedule';
  readonly on: { readonly everyMinutes: number };
  readonly summary: string;
  readonly uses: Uses;
  run(context: unknown): Promise<Readonly<Record<string, number>>>;
}

export function scheduleOperation<const U extends Uses>(definition: {
  on: { everyMinutes: number };
  summary: string;
  uses: U;
  /** Does a bounded part of what is to be done, leaves the rest to the next run, and answers figures for its log line. */
  run(context: Ports<U> & ClockAndIds): Promise<Readonly<Record<string, number>>>;
}): ScheduleOperation {
  return { kind: 'schedule', ...definition } as unknown as ScheduleOperation;
}

/** The HTTP API's authorizer: annotates a request with verified claims, or with the reason why there are none. */
export interface AuthorizerOperation {
  readonly kind: 'authorizer';
  readonly summary: string;
  readonly uses: Uses;
  run(request: { authorization: string }, context: unknown): Promise<Claims | Refusal>;
}

export function authorizerOperation<const U extends Uses>(definition: {
  summary: string;
  uses: U;
  run(request: { authorization: string }, context: Ports<U> & ClockAndIds): Promise<Claims | Refusal>;
}): AuthorizerOperation {
  return { kind: 'authorizer', ...definition } as unknown as AuthorizerOperation;
}

/** A step of every deployment, run as a CloudFormation custom resource; its answer is readable by the template. */
export interface DeploymentOperation {
  readonly kind: 'deployment';
  readonly summary: string;
  readonly uses: Uses;
  run(properties: Record<string, string>, context: unknown): Promise<Record<string, string>>;
}

export function deploymentOperation<const U extends Uses>(definition: {
  summary: string;
  uses: U;
  run(properties: Record<string, string>, context: Ports<U> & ClockAndIds): Promise<Record<string, string>>;
}): DeploymentOperation {
  return { kind: 'deployment', ...definition } as unknown as DeploymentOperation;
}
