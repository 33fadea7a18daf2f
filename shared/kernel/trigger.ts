import type { Reply, ReplyName } from '../live/schemas/reply-schemas.ts';
import type { Claims } from './caller.ts';
import type { Refusal } from './failure.ts';
import type { ClockAndIds, Ports, Uses } from './operation.ts';

/** An operation without its precise types: of what `run` is given, the last is made of what the operation declares. */
type Erased<Kind, Definition extends { run: unknown }> = Omit<Definition, 'run'> & {
  readonly kind: Kind;
  run: Definition['run'] extends (...given: [...infer Given, never]) => infer Result
    ? (...given: [...Given, context: unknown]) => Result
    : never;
};

// The kernel hands over exactly what a definition declares; the loss of the precise types ends here.
const erased = <O extends { kind: string }>(kind: O['kind'], definition: object) =>
  ({ kind, ...definition }) as unknown as O;

/** Who sent a frame, and over which connection. */
export interface SocketRequest {
  readonly connectionId: string;
  /** The token of the query string; only at `$connect`. */
  readonly token: string | undefined;
  /** The frame as JSON; undefined when it is not a JSON object. */
  readonly frame: Record<string, unknown> | undefined;
}

interface SocketDefinition<U extends Uses, Answer extends ReplyName> {
  /** `$connect`, `$disconnect`, `$default`, or the `action` of a frame. */
  readonly on: string;
  readonly summary: string;
  /** What the fields of its frame mean beside `action`, for the documentation. All of them are texts, and required. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The frames that answer, beside `error`, which may answer any. */
  readonly answers?: readonly Answer[];
  readonly uses: U;
  /** Resolves with the frame that answers, or undefined for none. Thrown `Refused` at `$connect` refuses the handshake. */
  run(
    request: SocketRequest,
    context: Ports<U> & ClockAndIds,
  ): Promise<Reply<NoInfer<Answer> | 'error'> | undefined>;
}

/** A function behind a route of the WebSocket API. */
export type SocketOperation = Erased<'socket', SocketDefinition<Uses, ReplyName>>;

export const socketOperation = <const U extends Uses, const Answer extends ReplyName = never>(
  definition: SocketDefinition<U, Answer>,
) => erased<SocketOperation>('socket', definition);

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

interface StreamDefinition<U extends Uses> {
  readonly reader: StreamReader;
  /** The kind of change, and what the sort key of the changed item starts with. */
  readonly on: { readonly change: 'INSERT' | 'REMOVE'; readonly sortPrefix: string };
  readonly summary: string;
  readonly uses: U;
  run(changes: readonly TableChange[], context: Ports<U> & ClockAndIds): Promise<void>;
}

/**
 * A consumer of the table's stream. Changes that it cannot take now are retried in order, then in smaller batches; it may be told
 * again of some that it has taken.
 */
export type StreamOperation = Erased<'stream', StreamDefinition<Uses>>;

export const streamOperation = <const U extends Uses>(definition: StreamDefinition<U>) =>
  erased<StreamOperation>('stream', definition);

interface ScheduleDefinition<U extends Uses> {
  readonly on: { readonly everyMinutes: number };
  readonly summary: string;
  readonly uses: U;
  /** Does a bounded part of what is to be done, leaves the rest to the next run, and answers figures for its log line. */
  run(context: Ports<U> & ClockAndIds): Promise<Readonly<Record<string, number>>>;
}

/** What runs by the clock. Two runs may overlap, and one may be left out: neither must matter. */
export type ScheduleOperation = Erased<'schedule', ScheduleDefinition<Uses>>;

export const scheduleOperation = <const U extends Uses>(definition: ScheduleDefinition<U>) =>
  erased<ScheduleOperation>('schedule', definition);

interface AuthorizerDefinition<U extends Uses> {
  readonly summary: string;
  readonly uses: U;
  run(request: { authorization: string }, context: Ports<U> & ClockAndIds): Promise<Claims | Refusal>;
}

/** The HTTP API's authorizer: annotates a request with verified claims, or with the reason why there are none. */
export type AuthorizerOperation = Erased<'authorizer', AuthorizerDefinition<Uses>>;

export const authorizerOperation = <const U extends Uses>(definition: AuthorizerDefinition<U>) =>
  erased<AuthorizerOperation>('authorizer', definition);

interface DeploymentDefinition<U extends Uses> {
  readonly summary: string;
  readonly uses: U;
  run(properties: Record<string, string>, context: Ports<U> & ClockAndIds): Promise<Record<string, string>>;
}

/** A step of every deployment, run as a CloudFormation custom resource; its answer is readable by the template. */
export type DeploymentOperation = Erased<'deployment', DeploymentDefinition<Uses>>;

export const deploymentOperation = <const U extends Uses>(definition: DeploymentDefinition<U>) =>
  erased<DeploymentOperation>('deployment', definition);
