// The public types that do not depend on the API. `/api/client.d.ts` begins with this file as it is.

/** Who calls: a program with an API key, or a person with a session. With neither, `login` opens a session. */
export interface ClientOptions {
  /** The origin of the service, such as `https://api.example.com`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /**
   * The response of a login, which the client keeps in memory and renews; or where to keep it, such as `keepInBrowser()`, if other tabs
   * or later runs shall have it.
   */
  readonly session?: StoredSession | SessionStore;
  /** For every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
  /** Where the runtime has none, as Node.js 20: that of the package `ws`. */
  readonly WebSocket?: ClientSocketClass;
  /** How to let time pass before another attempt. Resolves early when the signal is aborted. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The part of a `WebSocket` that the client uses. */
export interface ClientSocket {
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

export type ClientSocketClass = new (url: string) => ClientSocket;

/** The tokens of a session. */
export interface StoredSession {
  readonly token: string;
  readonly refreshToken: string;
}

/** Where the tokens of a session are kept. Everybody who shares a session must share its store. */
export interface SessionStore {
  /** The session; null when nobody is logged in. */
  get(): StoredSession | null | Promise<StoredSession | null>;
  set(session: StoredSession | null): unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The `Idempotency-Key` of a writing call. Each call has its own unless you state one. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The first page when it is awaited; in `for await`, every record of all pages. */
export type Pages<Page extends { readonly data: readonly unknown[] }> = Promise<Page> &
  AsyncIterable<Page['data'][number]>;

export interface FollowOptions {
  /** The id of the last event that was dealt with: what happened since then comes first, and a few events from just before again. */
  readonly since?: string | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** Live events, each once, over as many connections as it takes. `break` in `for await` closes it. */
export interface EventStream<Frame> extends AsyncIterable<Frame> {
  /** Resolves when the first connection is open: whatever happens from then on, comes. */
  readonly opened: Promise<void>;
  close(): void;
}

/** A file to upload. A `File` of a browser or of Node.js is one. */
export interface UploadFile {
  readonly name: string;
  readonly type: string;
  readonly data: Blob;
}

/** A file that was uploaded, as `createNote` and `sendMessage` take it. */
export interface Upload {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

export interface WebhookRequest {
  /** The bytes of the request as they came, or their text; not parsed and written again. */
  readonly body: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The `whsec_…` of the endpoint. */
  readonly secret: string;
  /** How old, or how far ahead, the time of the request may be. */
  readonly toleranceSeconds?: number;
}
