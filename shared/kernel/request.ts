/** The parameters in the braces of a route. */
export type PathParameters<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParameters<Rest>
  : unknown;

/** A request as an operation takes it, read and validated. */
export interface Request<R extends string, Query, Body> {
  readonly path: PathParameters<R>;
  readonly query: Query;
  readonly body: Body;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The request as it was sent, for the operations that verify a signature over it. */
  readonly sent: SentRequest;
  readonly sourceIp: string;
}

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  /** As the gateway decoded it. */
  readonly path: string;
  /** Including scheme, host and query string. */
  readonly url: string;
  /** The text of the body, byte for byte. */
  readonly text: string;
  /** Whether the body was a form (`application/x-www-form-urlencoded` or `multipart/form-data`) and not JSON. */
  readonly isForm: boolean;
  /** Paths of what a repaired body lost. */
  readonly skippedFields: readonly string[];
  /** The gateway's id of the request, the same for all tries of a deferred one. */
  readonly requestId: string;
  /** When the request was received: `now`, or earlier for one that was deferred. */
  readonly receivedAt: Date;
  /**
   * Only for a request that was deferred and is tried again. The first try may have succeeded without knowing it: its commit's response may
   * be lost.
   */
  readonly wasDeferred?: true;
}

/** A request without its precise types. */
export type AnyRequest = Request<string, unknown, unknown>;
