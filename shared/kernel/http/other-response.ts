/** A response other than the operation's `output`: another status or content type, listed in its `others`. */
export class OtherResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;

  constructor(options: {
    status?: number;
    headers?: Record<string, string>;
    contentType?: string;
    body?: string;
  }) {
    this.status = options.status ?? 200;
    this.headers = options.headers ?? {};
    this.contentType = options.contentType ?? 'text/plain';
    this.body = options.body ?? '';
  }
}
