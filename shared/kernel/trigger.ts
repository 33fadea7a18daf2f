import type { Reply, ReplyName } from '../live/schemas/reply-schemas.ts';
import type { Claims } from './caller.ts';
import type { Refusal } from './failure.ts';
import type { ClockAndIds, Ports, Uses } from './operation.ts';

export interface SocketRequest {
  readonly connectionId: string;
  /** The token of the query string; only for `$connect`. */
  readonly token: string | undefined;
  /** The parsed frame; undefined when it is not a JSON object. */
  readonly frame: Record<string, unknown> | undefined;
}

/** The frame in reply, or undefined for none. `Refused`, thrown by `$connect`, refuses the handshake. */
export type SocketReply = Reply | undefined;

/** A function behind a route of the WebSocket API. `on` is `$connect`, `$disconnect`, `$default` or the `action` of a frame. */
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
  /** The meaning of its frame's fields beside `action`, for the documentation. All are required strings. */
  fields?: Readonly<Record<string, string>>;
  /** The frames in reply, beside `error`, which any route may send. */
  answers?: readonly Answer[];
  uses: U;
  run(
    request: SocketRequest,
    context: Ports<U> & ClockAndIds,
  ): Promise<Reply<NoInfer<Answer> | 'error'> | undefined>;
}): SocketOperation {
  return { kind: 'socket', ...definition } as unknown as SocketOperation;
}

/** One change of the table, as its stream reports it. */
export interface TableChange {
  readonly partition: string;
  readonly sort: string;
  /** The record after the change, unpacked; undefined when it was deleted. */
  readonly data: unknown;
}

/**
 * The readers of the stream. There are only two, whatever the number of operations: DynamoDB throttles a shard with more readers.
 * `live` is for what users wait for; the operations of `background` may have to wait for each other's retries.
 */
export type StreamReader = 'live' | 'background';

/**
 * A consumer of the table's stream. Changes that it fails on are retried in order, then in smaller batches; it may get some
 * changes twice.
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
  /** The kind of change, and the prefix of the changed item's sort key. */
  on: { change: 'INSERT' | 'REMOVE'; sortPrefix: string };
  summary: string;
  uses: U;
  run(changes: readonly TableChange[], context: Ports<U> & ClockAndIds): Promise<void>;
}): StreamOperation {
  return { kind: 'stream', ...definition } as unknown as StreamOperation;
}

/** A function that runs at intervals. Two runs may overlap, and one may be missing: neither must matter. */
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
  /** Does a limited part of the work, leaves the rest to the next run, and returns figures for its log line. */
  run(context: Ports<U> & ClockAndIds): Promise<Readonly<Record<string, number>>>;
}): ScheduleOperation {
  return { kind: 'schedule', ...definition } as unknown as ScheduleOperation;
}

/** The HTTP API's authorizer: adds verified claims to a request, or the reason for their absence. */
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

/** A step of every deployment, run as a CloudFormation custom resource. The template can read its result. */
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
