import type { Share } from '../../../shared/kernel/ports.ts';

/**
 * Limits what one network may send to an operation for signing in, signing up or signing out: enough for an office behind one address, and
 * little against what the functions of an account can do at the same time. How often somebody may guess or have mail sent is limited
 * apart, and more strictly.
 */
export const shareOfStrangers: Share = { atOnce: 1_000, eachSecond: 5 };

/** Limits what a user may send to an operation that checks a password or a code: a request may cost several hashes. */
export const shareOfUser: Share = { atOnce: 60, eachSecond: 0.2 };
