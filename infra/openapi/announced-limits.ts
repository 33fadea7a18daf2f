import type { LimitPolicy } from '../../shared/kernel/limit-policy.ts';
import { requestPolicy } from '../../shared/kernel/limit-policy.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { second } from '../../shared/kernel/time.ts';
import type { HeaderObject, Reference } from './object-types.ts';

/** The limits that the responses of an operation announce. */
export function announcedLimits({ share, limits = [] }: Operation): LimitPolicy[] {
  return share === undefined ? [...limits] : [requestPolicy, ...limits];
}

/** The headers that announce them. */
export function limitHeaders(operation: Operation): Record<string, Reference> {
  return announcedLimits(operation).length === 0
    ? {}
    : {
        'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
        RateLimit: { $ref: '#/components/headers/RateLimit' },
      };
}

export const limitHeaderObjects: Record<string, HeaderObject> = {
  RateLimitPolicy: {
    description:
      'The limits that the request has drawn on, as the chapter Limits of the introduction explains.',
    schema: { type: 'string', examples: ['"login-account";q=5;w=900, "login-address";q=20;w=300'] },
  },
  RateLimit: {
    description: 'What is left of each, and the seconds until it is whole again.',
    schema: { type: 'string', examples: ['"login-account";r=4;t=900, "login-address";r=19;t=300'] },
  },
};

/** A table of all limits by name, in Markdown. */
export function limitTable(operations: readonly Operation[]): string {
  const byName = new Map(operations.flatMap(announcedLimits).map((policy) => [policy.name, policy]));
  const rows = [...byName.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, counts, quota, unit, window, isHidden }) => {
      const within = window === undefined ? '' : `${window / second} s`;
      const shown = isHidden ? 'only in a 429' : '';
      return `| \`${name}\` | ${counts} | ${quota ?? 'see the header'} ${unit ?? ''} | ${within} | ${shown} |`;
    });
  return [
    '| Limit | What it counts | How many | Within | Announced |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
