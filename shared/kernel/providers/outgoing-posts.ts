/** Why nothing may be sent to a URL, or why it cannot be known yet. */
export interface RefusedUrl {
  /** `unresolved`: the host's name has no address now, which may change. */
  readonly reason: 'refused_address' | 'unresolved';
  /** A sentence for the person who chose the URL. */
  readonly message: string;
}

export interface OutgoingPost {
  readonly url: string;
  /** Those that belong to the connection, such as `host` and `content-length`, are set by the port and ignored here. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for finding the address, connecting and the status of the response. Its body is kept as far as it has come by then. */
  readonly timeout: number;
  /** Bytes of the response's body to keep. The connection ends as soon as they are there. */
  readonly keptBytes: number;
  /** Ends the attempt as its timeout does. */
  readonly signal?: AbortSignal;
}

export interface PostResponse {
  /** That of a redirect, too: none is followed. */
  readonly status: number;
  readonly milliseconds: number;
  /** The beginning of the body; a character that is cut in two is left out. */
  readonly response: string;
  /** The header `Retry-After`, as it came. */
  readonly retryAfter?: string;
}

export interface PostFailure {
  readonly error: 'timeout' | 'dns' | 'refused_address' | 'connection' | 'tls';
  readonly milliseconds: number;
}

/** Posts to addresses outside of the service that its users choose, and to no other. */
export interface OutgoingPosts {
  /** Whether the URL may be posted to, as far as is known now; every post checks it again. */
  check(url: string): Promise<RefusedUrl | undefined>;
  /** Posts once, over a connection of its own. Whatever the receiver does is a result. @throws if the caller may not post. */
  post(post: OutgoingPost): Promise<PostResponse | PostFailure>;
}
