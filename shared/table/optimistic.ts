import { Failure } from '../kernel/failure.ts';
import type { InvocationScope } from '../kernel/ports.ts';
import { type Backoff, retry } from './backoff.ts';
import { VersionConflict } from './table.ts';

const backoff: Backoff = { attempts: 30, first: 5, longest: 250 };

/** The table's `optimistically`, for one invocation. */
export const optimistically =
  ({ random, deadline }: Pick<InvocationScope, 'random' | 'deadline'>) =>
  <Result>(attempt: () => Promise<Result>): Promise<Result> =>
    retry({ ...backoff, random, deadline }, attempt, {
      isRetryable: (error) => error instanceof VersionConflict,
      exhausted: () =>
        new Failure('UNAVAILABLE', 'Too many changes to this record at once. Try again.', { retryAfter: 1 }),
    });
