import { gunzipSync, gzipSync } from 'node:zlib';
import { type Deadline, raceDeadline } from '../deadline.ts';
import { isCorrectable } from '../failure.ts';
import type { HttpEvent } from '../http/http-event.ts';
import { OtherResponse } from '../http/other-response.ts';
import type { MessageQueue } from '../message-queue.ts';
import type { Deferral } from '../operation.ts';
import { ok } from '../schemas/envelope.ts';
import type { Timestamp } from '../time.ts';

/** A request that could not be applied when it was received. */
export interface DeferredRequest {
  /** The route of its operation, which stays when the operation is renamed while the request waits. */
  readonly route: string;
  readonly receivedAt: Timestamp;
  readonly event: HttpEvent;
  /** See `Deferral`. */
  readonly about?: string | undefined;
}

/**
 * As the text of a message. Zipped, because a body may have 256 KB and a message 1 MB, and because a message may not have every
 * character that a body may.
 */
export function packedRequest(deferred: DeferredRequest): string {
  return gzipSync(JSON.stringify(deferred)).toString('base64');
}

export function unpackedRequest(text: string): DeferredRequest {
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) as DeferredRequest;
}

/** Milliseconds before the deadline at which a request is deferred: enough to reach the queue. */
const timeToDefer = 1_500;

/** Milliseconds before a deferred request is tried again: most failures last less long. */
const firstPause = 5_000;

const accepted = new OtherResponse({
  status: 202,
  contentType: 'application/json',
  body: JSON.stringify(ok({ message: 'Received. It will be processed within minutes.' })),
});

/** How to defer a request if necessary. */
export interface DeferralOptions {
  readonly queue: MessageQueue;
  readonly deferred: DeferredRequest;
  deferral(): Deferral;
  /** Called with the reason why the request was deferred. */
  onDeferred(error: unknown): void;
  readonly deadline: Deadline;
}

/**
 * Runs the operation, and defers the request if the operation fails because the service is busy or has a defect.
 * @returns the operation's output, or the response to a deferred request.
 * @throws what the operation throws, if the sender must correct the request, or if the queue does not take it either.
 */
export async function runOrDefer(
  run: () => Promise<unknown>,
  { queue, deferred, deferral, onDeferred, deadline }: DeferralOptions,
): Promise<unknown> {
  try {
    return await raceDeadline({ left: () => deadline.left() - timeToDefer }, run());
  } catch (error) {
    if (isCorrectable(error)) {
      throw error;
    }
    const { group, about, response = accepted } = deferral();
    try {
      await queue.send(packedRequest(withoutCredentials({ ...deferred, about })), {
        group,
        delay: firstPause,
      });
    } catch {
      throw error;
    }
    onDeferred(error);
    return response;
  }
}

function withoutCredentials({ event, ...deferred }: DeferredRequest): DeferredRequest {
  const { authorization: _, cookie: __, ...headers } = event.headers;
  return { ...deferred, event: { ...event, headers } };
}
