import { type Outcome, retryAfter } from './api-error.ts';

/** What the runtime, or a test in its place, does for a client. */
export interface Platform {
  readonly fetch: typeof fetch;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface Sending {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | undefined;
  /** Whether a repetition does no harm: it only reads, or has a key. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt; the gateway answers within 30 seconds. */
  readonly timeout?: number;
}

const mostRepetitions = 4;

/** Seconds that a call waits at most before it is sent again; what takes longer is for the caller to decide. */
const longestPause = 30;

/**
 * Sends a request until it has a response that another attempt would not change. What may have been done is sent again only if that is
 * `repeatable`. The pauses are 0.5, 1, 2 and 4 seconds, a little less by chance, or longer where the service says so.
 */
export async function sendRepeatedly(sending: Sending, platform: Platform): Promise<Outcome> {
  for (let repetition = 0; ; repetition += 1) {
    const outcome = await sendOnce(sending, platform);
    const asked = retryAfter(outcome.headers) ?? 0;
    const isLast = repetition === mostRepetitions || asked > longestPause || sending.signal?.aborted;
    if (isLast || !mayChange(outcome, sending.repeatable)) {
      return outcome;
    }
    await platform.wait(Math.max(asked * 1000, pause(500 * 2 ** repetition)), sending.signal);
    sending.signal?.throwIfAborted();
  }
}

/** A pause that not all clients make at the same time. */
export const pause = (milliseconds: number) => milliseconds * (1 - Math.random() / 4);

/** Whether another attempt may have another outcome. A 429 says that nothing was done; a 409 with a time, that it is being done. */
function mayChange({ status, headers }: Outcome, repeatable: boolean): boolean {
  return (
    status === 429 ||
    (repeatable &&
      (status === 0 || status >= 500 || (status === 409 && headers?.has('retry-after') === true)))
  );
}

/** @throws only when the caller's own signal is aborted. */
async function sendOnce(
  { method, url, headers, body, signal, timeout = 40_000 }: Sending,
  { fetch }: Platform,
): Promise<Outcome> {
  const signals = [AbortSignal.timeout(timeout), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      signal: AbortSignal.any(signals),
      ...(body !== undefined && { body }),
    });
    // A connection can break while the body is on its way.
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: read(text, response.headers) };
  } catch (lost) {
    signal?.throwIfAborted();
    return { status: 0, lost };
  }
}

/** A gateway or a proxy may send something else than it says. */
function read(text: string, headers: Headers): unknown {
  if (/\bjson\b/.test(headers.get('content-type') ?? '')) {
    try {
      return JSON.parse(text);
    } catch {}
  }
  return text;
}
