/** A request that was refused, or that got no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
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

  constructor(request: { method: string; url: string; key?: string | undefined }, outcome: Outcome) {
    const { status, body, lost, headers } = outcome;
    const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const text = [said.message, said.error].find((one) => typeof one === 'string');
    const what = `${request.method} ${new URL(request.url, 'http://-').pathname}`;
    super(lost ? `${what} got no response.` : `${what} was refused with ${status}: ${text ?? 'no reason'}`, {
      cause: lost,
    });
    this.status = status;
    this.body = body;
    this.code = [said.code, said.error].find(isCode);
    this.requestId = headers?.get('x-request-id') ?? undefined;
    this.retryAfter = retryAfter(headers);
    this.idempotencyKey = request.key;
  }
}

/** What became of a request. */
export interface Outcome {
  /** 0 if no response came, or not all of it. */
  readonly status: number;
  readonly headers?: Headers;
  /** What was read from JSON, or the text. */
  readonly body?: unknown;
  /** Why there is no response. */
  readonly lost?: unknown;
}

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[A-Z_]+$/.test(value);

/** The seconds that the service asks to wait. Source: RFC 9110, 10.2.3. */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const text = headers?.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
