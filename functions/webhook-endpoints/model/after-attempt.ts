import { crc32 } from 'node:zlib';
import {
  type DeliveryAttempt,
  deliveryEnd,
  type WebhookDelivery,
} from '../../../shared/events/webhook-delivery.ts';
import type { PostFailure, PostResponse } from '../../../shared/kernel/providers/outgoing-posts.ts';
import { after, day, hour, minute, periodEnd, second, timestamp } from '../../../shared/kernel/time.ts';

/** Milliseconds before each further attempt. Source: integrations 4. */
const delays = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
] as const;

/** By how much a delay may differ: jobs that failed at the same time are not due at the same time again. */
const spread = 0.1;

/** Milliseconds for which `Retry-After` is obeyed at most. */
const longestWait = day;

/** Attempts that a delivery remembers: all of one schedule, and those of some replays. */
const remembered = 20;

export const isSuccess = (result: PostResponse | PostFailure): boolean =>
  'status' in result && result.status >= 200 && result.status < 300;

/** Whether the address says that it is gone for good. */
export const isGone = (result: PostResponse | PostFailure): boolean =>
  'status' in result && result.status === 410;

/**
 * The delivery after an attempt. It is due again at a full second, so that what failed together is due together.
 * @param random a number in [0, 1).
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  result: PostResponse | PostFailure,
  now: Date,
  random: number,
): WebhookDelivery {
  const { nextAttemptAt: _, ...rest } = delivery;
  const attempts = [...delivery.attempts, attemptOf(result, now)].slice(-remembered);
  if (isSuccess(result)) {
    return { ...rest, attempts, state: 'delivered' };
  }
  const failures = delivery.failures + 1;
  const delay = delays[delivery.failures];
  if (delay === undefined || isGone(result)) {
    return { ...rest, attempts, failures, state: 'failed' };
  }
  const spreadDelay = delay * (1 - spread) + (2 * spread * delay - second) * random;
  const wait = Math.max(spreadDelay, Math.min(requestedWait(result, now), longestWait));
  const next = periodEnd(after(now, wait), second);
  return next < deliveryEnd(delivery.eventId)
    ? { ...rest, attempts, failures, state: 'pending', nextAttemptAt: timestamp(next) }
    : { ...rest, attempts, failures, state: 'failed' };
}

/** A number in [0, 1) that differs between ids. */
export const randomFor = (id: string): number => crc32(id) / 2 ** 32;

function attemptOf(result: PostResponse | PostFailure, now: Date): DeliveryAttempt {
  const { milliseconds } = result;
  return 'error' in result
    ? { at: timestamp(now), milliseconds, error: result.error }
    : { at: timestamp(now), status: result.status, milliseconds, response: result.response };
}

/** How long a busy address asks to be left alone: seconds, or a date. 0 unless it asks. */
function requestedWait(result: PostResponse | PostFailure, now: Date): number {
  if ('error' in result || result.retryAfter === undefined || ![429, 503].includes(result.status)) {
    return 0;
  }
  const { retryAfter } = result;
  const wait = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * second
    : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(wait) ? 0 : wait;
}
