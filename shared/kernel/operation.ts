import type * as z from 'zod/mini';
import type { Actor } from './actor.ts';
import type { Caller, Role } from './caller.ts';
import type { Deadline } from './deadline.ts';
import type {
  DescribedResponse,
  DetailedFailure,
  Example,
  ExampleRequest,
  HeaderParameter,
  ToolDescription,
  WithDescriptions,
} from './documentation.ts';
import type { FailureCode, Family } from './failure.ts';
import type { Asset } from './http/asset.ts';
import type { JsonText } from './http/json-text.ts';
import type { OtherResponse } from './http/other-response.ts';
import type { LimitPolicy } from './limit-policy.ts';
import type { PortTypes, Share } from './ports.ts';
import type { AnyRequest, PathParameters, Request } from './request.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `METHOD /api/path/{parameter}`; the service's own address; an address at which agents look; or `$default`, which gets every request
 * without a route.
 */
export type Route = `${Method} /api/${string}` | 'GET /' | 'GET /llms.txt' | 'POST /mcp' | '$default';

/** The ports that an operation declares. Its types, IAM statements, environment and bundle follow from them. */
export type Uses = { readonly [P in keyof PortTypes]?: keyof PortTypes[P] };

/** The ports that an operation gets: those it declared and no others. */
export type Ports<U extends Uses> = {
  readonly [P in keyof U & keyof PortTypes]: U[P] extends keyof PortTypes[P] ? PortTypes[P][U[P]] : never;
};

/** Every invocation gets these beside its ports. Time and ids are arguments, so that rules can be tested. */
export interface ClockAndIds {
  readonly now: Date;
  /** A new opaque, URL-safe, time-ordered identifier (ULID). */
  newId(): string;
}

/** How a request that cannot be applied now is deferred. */
export interface Deferral {
  /** Whose request it is: it does not delay requests of other groups. */
  readonly group: string;
  /** The number or address that it is about, if known: when a contact with it is deleted, the deferred request is dropped. */
  readonly about?: string | undefined;
  /** The response, if not 202 with `{success: true, message}`. */
  readonly response?: OtherResponse;
}

/** What became of a deferred request. */
export interface DeferralOutcome {
  /** The gateway's id of the request. */
  readonly requestId: string;
  readonly receivedAt: Date;
  /** `kept` before its first try, `dead` before its last one; then `applied`, or `dropped` if the operation refused it. */
  readonly status: 'kept' | 'applied' | 'dropped' | 'dead';
  /** Why it is kept or dead, in a word, or why it was dropped, in a sentence. */
  readonly reason?: string;
  /** The result of the operation that applied it. */
  readonly output?: unknown;
  /** Only before its last try: the request as `packedRequest` packs it. */
  readonly packed?: string;
}

/** How many requests the gateway passes on to a route; it refuses more with 429, and no function runs. */
export interface Throttle {
  /** Requests per second. */
  readonly rate: number;
  /** Requests at once after a pause. */
  readonly burst: number;
}

/** When a successful request creates nothing: its status is then 200. */
interface NothingCreated<Output> {
  when(output: Output): boolean;
  /** An example of what `message` then says, and the other fields whose values then differ, for the documentation; absent for another kind of output. */
  readonly message?: string;
  readonly differing?: Readonly<Record<string, unknown>>;
}

type Parsed<S> = S extends z.ZodMiniType ? z.output<S> : undefined;

export interface Definition<
  R extends Route,
  Query extends z.ZodMiniObject | undefined,
  Body extends z.ZodMiniObject | undefined,
  Output extends z.ZodMiniType,
  U extends Uses,
  A extends Role | 'anyone',
> {
  readonly route: R;
  /** Its group in the documentation; the first one of its capability (`tag.ts`) unless stated. API keys may be limited to groups. */
  readonly tag?: string;
  /** No API key may use it: it takes or shows a secret with which webhooks are signed, or decides who gets in, and how. */
  readonly isClosedToKeys?: A extends 'anyone' ? never : true;
  /** One line: the title in the documentation. */
  readonly summary: string;
  /** Tells a client what to know beyond the schemas: limits, defaults, and what the contract leaves open. */
  readonly description?: string;
  /** Agents get it as a tool, with an API key: so only for what a key may do. */
  readonly tool?: A extends 'anyone' ? never : ToolDescription;
  readonly family: Family;
  /** Who does what a request asks for, where anyone may call; the service itself unless stated. Otherwise it is the caller. */
  readonly actor?: A extends 'anyone' ? (request: Request<R, Parsed<Query>, Parsed<Body>>) => Actor : never;
  /** The lowest role that may call, or `anyone`: then the gateway asks no authorizer. */
  readonly minimumRole: A;
  /** Also open to a session that may only set up the second factor that its organization requires. */
  readonly setsUpFactor?: A extends 'anyone' ? never : true;
  /** Binds the port `table` to the path's `organizationId`: your own organization, or any for a SUPERADMIN. */
  readonly organization?: R extends `${string}{organizationId}${string}` ? 'path' : never;
  /** Whether `HEAD` works like `GET`, without a body: for paths that browsers, caches and link checkers request. */
  readonly answersHead?: R extends `GET ${string}` ? boolean : never;
  /**
   * A step of a workflow may perform it, as the owner of the workflow (port `stepOperations`). It then writes by a single `commit` of
   * the port `table`, and by nothing else: the step's own writes become part of that transaction. It returns `output`.
   */
  readonly asStep?: A extends 'anyone' ? never : true;
  /** The status of success; 200 unless stated, 201 where a record is created, 202 for what is done later. */
  readonly status?: 200 | 201 | 202;
  /** For an operation that may succeed without creating its record: whether that is so. Then the status is 200 instead of 201 or 202. */
  readonly createsNothing?: NothingCreated<z.output<Output>>;
  /** Schemas of the path parameters that are not identifiers; a value that does not match is "not found". */
  readonly path?: { readonly [Name in keyof PathParameters<R>]?: z.ZodMiniType<string> };
  /** The query parameters. Others are refused unless the schema is a loose one. */
  readonly query?: Query;
  /**
   * The headers that change what the operation does, by name; all may be left out. Their values are in `headers` of the request.
   */
  readonly takesHeaders?: Readonly<Record<string, HeaderParameter>>;
  readonly body?: Body;
  /** Also takes a form (`application/x-www-form-urlencoded` or `multipart/form-data`); every field of it is a string. */
  readonly takesForms?: boolean;
  /**
   * Keeps what can be kept of a body that others refuse: for senders who cannot correct it. Lone surrogates are replaced; numbers
   * beyond 64 bits and what is nested too deep are left out.
   */
  readonly repairsBody?: true;
  readonly output: Output;
  /** Anything but JSON; the output is then a string, sent as it is. */
  readonly contentType?: string;
  /** Headers of every successful response, beside those of the kernel. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Successful responses other than `output`. */
  readonly others?: readonly DescribedResponse[];
  /** Failures beyond the ones that every operation of its kind can have, for the documentation. */
  readonly failures?: readonly FailureCode[];
  /** Those of `failures` that may have further keys. */
  readonly detailedFailures?: readonly DetailedFailure[];
  /**
   * A request for the documentation that succeeds as printed on a fresh local host, with ids of `demo-ids.ts`. Required of every
   * operation with a body, path parameters or required query parameters.
   */
  readonly example?: ExampleRequest<R, Query, Body>;
  /** The limit of its route, for all clients together; that of the API unless stated. Only `share` keeps one client from using it up. */
  readonly throttle?: Throttle;
  /**
   * How many requests one user may send or, where anyone may call, one network; more get a 429. Neither a step of a workflow nor a kept
   * request that is tried again counts.
   */
  readonly share?: Share;
  /** The limits, beside `share`, that its requests draw on and its responses announce. */
  readonly limits?: readonly LimitPolicy[];
  /** The largest body in bytes; 256 KB unless stated. */
  readonly bodyLimit?: number;
  /**
   * Milliseconds after which the platform ends the invocation; `invocationLimits.http` unless stated. Only for operations that
   * write no event.
   */
  readonly timeLimit?: number;
  /** The body for a refused token, where the contract fixes one for this operation. */
  readonly refusal?: (reason: 'invalid' | 'expired') => Record<string, string>;
  /** Responds in place of an output that is too large for the platform even when gzipped; a 400 unless stated. */
  readonly oversized?: (
    zipped: Uint8Array,
    request: Request<R, Parsed<Query>, Parsed<Body>>,
    context: Ports<U> & ClockAndIds,
  ) => Promise<OtherResponse>;
  /**
   * Defers a request that cannot be applied now (the table is busy, the time is over, the code fails), responds 202, and applies the
   * request later by the same `run`. Only for operations that anyone may call, whose senders may never try again. Repeating a request
   * must have no further effect. A deferred request that later fails with a 4xx is dropped.
   */
  readonly defers?: A extends 'anyone'
    ? (request: Request<R, Parsed<Query>, Parsed<Body>>) => Deferral
    : never;
  /** Keeps a receipt of what became of a deferred request. What it throws changes nothing about the request. */
  readonly keepReceipt?: A extends 'anyone'
    ? (
        outcome: DeferralOutcome,
        request: Request<R, Parsed<Query>, Parsed<Body>>,
        context: Ports<U> & ClockAndIds,
      ) => Promise<void>
    : never;
  readonly uses: U;
  run(
    request: Request<R, Parsed<Query>, Parsed<Body>>,
    context: Ports<U> &
      ClockAndIds & {
        readonly caller: A extends 'anyone' ? undefined : Caller;
        readonly deadline: Deadline;
        /**
         * Of a request with an `Idempotency-Key`: an id that stays the same when the request is sent again because its process ended. What
         * writes in several transactions, or sends something, makes its ids from it.
         */
        readonly runId?: string;
      },
  ): Promise<z.input<Output> | JsonText | Asset | OtherResponse>;
}

/** The parts of a definition that depend on its precise types. */
type Typed = 'actor' | 'createsNothing' | 'path' | 'example' | 'oversized' | 'defers' | 'keepReceipt' | 'run';

/**
 * An HTTP operation, from which route, types, IAM policy, bundle, documentation and local route follow: a definition without its
 * precise types.
 */
export interface Operation
  extends Omit<
    Definition<
      Route,
      z.ZodMiniObject | undefined,
      z.ZodMiniObject | undefined,
      z.ZodMiniType,
      Uses,
      Role | 'anyone'
    >,
    Typed
  > {
  readonly kind: 'http';
  readonly actor?: (request: AnyRequest) => Actor;
  readonly createsNothing?: NothingCreated<unknown>;
  readonly path?: Readonly<Record<string, z.ZodMiniType<string> | undefined>>;
  readonly descriptions?: Readonly<Record<string, string>>;
  readonly example?: Example;
  readonly oversized?: (zipped: Uint8Array, request: AnyRequest, context: unknown) => Promise<OtherResponse>;
  readonly defers?: (request: AnyRequest) => Deferral;
  readonly keepReceipt?: (outcome: DeferralOutcome, request: AnyRequest, context: unknown) => Promise<void>;
  run(request: AnyRequest, context: unknown): Promise<unknown>;
}

/** Declares an HTTP operation. Its route, function, IAM statements, documentation and tests follow from what it declares. */
export function operation<
  const R extends Route,
  const U extends Uses,
  const A extends Role | 'anyone',
  Output extends z.ZodMiniType,
  Query extends z.ZodMiniObject | undefined = undefined,
  Body extends z.ZodMiniObject | undefined = undefined,
>(definition: Definition<R, Query, Body, Output, U, A> & WithDescriptions<R, Query, Body>): Operation {
  // The kernel passes exactly what the definition declares, so erasing the precise types here is safe.
  return { kind: 'http', ...definition } as unknown as Operation;
}
