/** A request that was refused, or that got no response. */
export declare class ApiError extends Error {
  /** That of the response; 0 without one. */
  readonly status: number;
  /** The body of the response. */
  readonly body: unknown;
  /** The code of a failure, such as `TOKEN_EXPIRED`, where the response has one. */
  readonly code: string | undefined;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which the service takes the request. */
  readonly retryAfter: number | undefined;
  /** The key that the request had: with it, the same call may be made again, and happens once. */
  readonly idempotencyKey: string | undefined;
}

/** A request that an endpoint should refuse: the service did not send it, or not now. */
export declare class WebhookVerificationError extends Error {}

/** The event of a request that a webhook endpoint got. @throws WebhookVerificationError unless a signature is right and the time near. */
export declare function verifyWebhook(
  request: WebhookRequest,
): Promise<LiveEvent & { readonly organizationId: string }>;

/** Keeps a session in the `localStorage` of this origin, where every tab finds it. Any script of the origin can read it. */
export declare function keepInBrowser(name?: string): SessionStore;

export declare const version: string;

export declare function createClient(options: ClientOptions): Client;

/** What the client has beside the operations. */
export interface ClientExtras {
  /**
   * The live events that the caller may see, each once. `resync_required` says that some cannot be shown any more: load everything again,
   * and go on.
   */
  events(options?: FollowOptions): EventStream<LiveEvent | ResyncRequiredFrame>;
  /** Uploads 1 to 10 files, to be attached to notes and messages within a day. */
  upload(files: ReadonlyArray<UploadFile | File>, options?: CallOptions): Promise<Upload[]>;
}
