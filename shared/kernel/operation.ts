import type * as z from 'zod/mini';
import type { Asset } from './asset.ts';
import type { Caller, Role } from './caller.ts';
import type { Descriptions } from './descriptions.ts';
import type { Failure, FailureCode, Family } from './failure.ts';
import type { JsonText } from './json-text.ts';
import type { OtherResponse } from './other-response.ts';
import type { PortTypes } from './ports.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `METHOD /api/path/{parameter}`; the service's own address; or `$default`: every request that no other route takes. */
export type Route = `${Method} /api/${string}` | 'GET /' | '$default';

export type PathParameters<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParameters<Rest>
  : unknown;

/** The ports an operation declares; its types, IAM statements, environment and bundle all follow from this. */
export type Uses = { readonly [P in keyof PortTypes]?: keyof PortTypes[P] };

/** The ports an operation is given: those it declared and no others. */
export type Ports<U extends Uses> = {
  readonly [P in keyof U & keyof PortTypes]: U[P] extends keyof PortTypes[P] ? PortTypes[P][U[P]] : never;
};

/** What every run is given beside its ports. Time and ids are arguments, so that rules can be tested. */
export interface ClockAndIds {
  readonly now: Date;
  /** A new opaque, URL-safe, time-ordered identifier (ULID). */
  newId(): string;
}

export interface Request<R extends string, Query, Body> {
  readonly path: PathParameters<R>;
  readonly query: Query;
  readonly body: Body;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What the caller called and sent, for whoever checks a signature over it. */
  readonly sent: SentRequest;
  /** The address the request came from. */
  readonly sourceIp: string;
}

/** A request as it came. */
export interface SentRequest {
  readonly method: string;
  /** Decoded by the gateway. */
  readonly path: string;
  /** With scheme, host and query string. */
  readonly url: string;
  /** The body's text, byte for byte. */
  readonly text: string;
  /** True when the body was a form (`application/x-www-form-urlencoded`), not JSON. */
  readonly isForm: boolean;
}

/** An answer that is not `output`, for the documentation. */
export interface DescribedResponse {
  readonly status: 200 | 302 | 303;
  /** None for a redirection. */
  readonly contentType?: string;
  readonly description: string;
}

/** What the fields of query and body mean; and those path parameters that need saying. */
type FieldDescriptions<R extends string, Query, Body> = Descriptions<Query> &
  Descriptions<Body> & { readonly [Name in keyof PathParameters<R>]?: string };

/** Needed where there is a query or a body. */
type WithDescriptions<R extends string, Query, Body> = [Query, Body] extends [undefined, undefined]
  ? { readonly descriptions?: FieldDescriptions<R, Query, Body> }
  : { readonly descriptions: FieldDescriptions<R, Query, Body> };

/** The parts of a request that an operation has; what a client may leave out, an example may too. */
type ExampleRequest<R extends Route, Query, Body> = (keyof PathParameters<R> extends never
  ? unknown
  : { readonly path: PathParameters<R> }) &
  (Query extends z.ZodMiniType ? { readonly query?: z.input<Query> } : unknown) &
  (Body extends z.ZodMiniType ? { readonly body: z.input<Body> } : unknown);

/** A failure whose body has keys beyond those of its family, for the documentation. */
export interface DetailedFailure {
  /** As it is answered. */
  readonly example: Failure;
  /** The further keys, all texts: what each means, and its values where they are fixed. */
  readonly details: Readonly<
    Record<string, { readonly description: string; readonly enum?: readonly string[] }>
  >;
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
  /** Its tag in the documentation, where that is not the first one of its capability (`tag.ts`). */
  readonly tag?: string;
  /** One line; the title in the documentation. */
  readonly summary: string;
  /** What a client must know beyond the schemas: limits, defaults, choices the contract leaves open. */
  readonly description?: string;
  readonly family: Family;
  /** The lowest role that may call, or `anyone`: no gateway authorizer stands before the operation. */
  readonly minimumRole: A;
  /** The path's `organizationId` names the organization that the port `table` is bound to: your own, or any for a SUPERADMIN. */
  readonly organization?: R extends `${string}{organizationId}${string}` ? 'path' : never;
  /** Whether `HEAD` of its path is answered as `GET` is, without a body: for what browsers, caches and link checkers ask for. */
  readonly answersHead?: R extends `GET ${string}` ? boolean : never;
  /** The status of success. 200 unless something new is created. */
  readonly status?: 200 | 201;
  /** Schemas of those path parameters that are no identifiers; what does not fit one reads as "not found". */
  readonly path?: { readonly [Name in keyof PathParameters<R>]?: z.ZodMiniType<string> };
  /** The query parameters; any other is refused. Without a schema there are none; a loose one takes any. */
  readonly query?: Query;
  readonly body?: Body;
  /** Takes a form (`application/x-www-form-urlencoded`) in place of JSON too; each field is then a string. */
  readonly takesForms?: boolean;
  readonly output: Output;
  /** Any but JSON; then the output is a string, sent as it is. */
  readonly contentType?: string;
  /** Headers of every answer of success, beside the kernel's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers that are not `output`. */
  readonly others?: readonly DescribedResponse[];
  /** Codes beyond those every operation of its kind can answer, for the documentation. */
  readonly failures?: readonly FailureCode[];
  /** Those that may carry further keys, with the codes of `failures`. */
  readonly detailedFailures?: readonly DetailedFailure[];
  /**
   * A request for the documentation, which succeeds as it stands on a fresh local host: its ids are those of `demo-ids.ts`.
   * Required of every operation with a body, path parameters or required query parameters.
   */
  readonly example?: ExampleRequest<R, Query, Body>;
  /** The largest body in bytes; 256 KB unless stated. */
  readonly bodyLimit?: number;
  /** Milliseconds after which the platform ends the call; `invocationLimits.http` unless stated. Only for what writes no event. */
  readonly timeLimit?: number;
  /** Answers refused tokens itself, in a body that the contract fixes. */
  readonly refusal?: (reason: 'invalid' | 'expired') => Record<string, string>;
  /** What to answer in place of an output that is too large for the platform even gzipped; a 400 unless stated. */
  readonly oversized?: (
    zipped: Uint8Array,
    request: Request<R, Parsed<Query>, Parsed<Body>>,
    context: Ports<U> & ClockAndIds,
  ) => Promise<OtherResponse>;
  readonly uses: U;
  run(
    request: Request<R, Parsed<Query>, Parsed<Body>>,
    context: Ports<U> & ClockAndIds & { readonly caller: A extends 'anyone' ? undefined : Caller },
  ): Promise<z.input<Output> | JsonText | Asset | OtherResponse>;
}

/** A request as the documentation shows it: path and query parameters by name, and the body. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A request whose precise types are lost. */
export type ErasedRequest = Request<string, unknown, unknown>;

/** What of a definition depends on its precise types. */
type Typed = 'path' | 'example' | 'oversized' | 'run';

/**
 * An HTTP operation: the one value from which route, types, IAM, bundle, documentation and local route follow. A definition
 * without its precise types.
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
  readonly path?: Readonly<Record<string, z.ZodMiniType<string> | undefined>>;
  readonly descriptions?: Readonly<Record<string, string>>;
  readonly example?: Example;
  readonly oversized?: (
    zipped: Uint8Array,
    request: ErasedRequest,
    context: unknown,
  ) => Promise<OtherResponse>;
  run(request: ErasedRequest, context: unknown): Promise<unknown>;
}

export function operation<
  const R extends Route,
  const U extends Uses,
  const A extends Role | 'anyone',
  Output extends z.ZodMiniType,
  Query extends z.ZodMiniObject | undefined = undefined,
  Body extends z.ZodMiniObject | undefined = undefined,
>(definition: Definition<R, Query, Body, Output, U, A> & WithDescriptions<R, Query, Body>): Operation {
  // The kernel hands over exactly what the definition declares; the loss of the precise types ends here.
  return { kind: 'http', ...definition } as unknown as Operation;
}
