import { second } from './time.ts';

/** A limit of the service that responses announce. Source: draft-ietf-httpapi-ratelimit-headers, revision 11. */
export interface LimitPolicy {
  readonly name: string;
  /** What it counts, and for whom, for the documentation. */
  readonly counts: string;
  /** How much it allows; absent if that differs between organizations or operations, so that only the header says it. */
  readonly quota?: number;
  /** Milliseconds in which that much is allowed; absent for a limit that no time resets. */
  readonly window?: number;
  /** What is counted, if not requests. */
  readonly unit?: string;
  /** Set for a limit that others share or that may not apply after all: only its refusal announces it. */
  readonly isHidden?: true;
}

/** What a request has left of a limit. */
export interface LimitUse {
  readonly policy: LimitPolicy;
  readonly quota: number;
  readonly remaining: number;
  /** Milliseconds since 1970 until all of it is there again or, if nothing remains, until more is; absent if no time changes it. */
  readonly resetsAt?: number | undefined;
}

/** What a user may read: 60 units a second in the long run. */
export const readPolicy = {
  name: 'reads',
  counts:
    'What a user reads of boards, of the journal and for replays of webhooks, in read units of the table, which come back steadily',
  quota: 30_000,
  window: 500 * second,
  unit: 'read-units',
} satisfies LimitPolicy;

/** How many requests to an operation somebody may send: its `share`. */
export const requestPolicy: LimitPolicy = {
  name: 'requests',
  counts:
    'Requests to one operation by a user or, without a token, from one network, which come back steadily; the operation says how many',
};

/** The headers of a response that has drawn on these limits, in the order of their names: simultaneous writes end in any order. */
export function limitHeaders(drawn: readonly LimitUse[], now: Date): Record<string, string> {
  const uses = drawn.toSorted((a, b) => (a.policy.name < b.policy.name ? -1 : 1));
  const policies = uses.map(({ policy: { name, unit, window }, quota }) => {
    const counted = unit === undefined ? '' : `;qu="${unit}"`;
    return `"${name}";q=${quota}${counted}${window === undefined ? '' : `;w=${Math.round(window / second)}`}`;
  });
  const left = uses.map(({ policy, remaining, resetsAt }) => {
    const seconds = resetsAt === undefined ? undefined : Math.ceil((resetsAt - now.getTime()) / second);
    return `"${policy.name}";r=${remaining}${seconds === undefined ? '' : `;t=${Math.max(1, seconds)}`}`;
  });
  return { 'ratelimit-policy': policies.join(', '), ratelimit: left.join(', ') };
}
