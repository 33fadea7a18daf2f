import type { Share } from '../kernel/ports.ts';

/**
 * Limits what one network may send to a webhook. It is a fifth of what the gateway lets pass, and as high as that because a provider sends for
 * many organizations from few addresses. It counts networks and not numbers, because a stranger could name any number.
 */
export const shareOfSenders: Share = { atOnce: 5_000, eachSecond: 1_000 };
