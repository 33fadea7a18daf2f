import { isCorrectable } from '../kernel/failure.ts';
import type { Idempotency, InvocationScope } from '../kernel/ports.ts';
import { day } from '../kernel/time.ts';
import { type FailedAction, heldWrites } from '../table/held-writes.ts';
import { keyRecord } from '../table/key-record.ts';
import { VersionConflict } from '../table/table.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { provideOrganizations } from './table.ts';

/** How long a key belongs to its request, in milliseconds. */
const kept = day;

/**
 * Keeps the responses to requests with a key, with the user who sent them. The record of a key is in the transaction of the request's
 * effect, so neither exists without the other.
 */
export function provideIdempotency(
  environment: NodeJS.ProcessEnv,
  limits?: ClientLimits,
): (scope: InvocationScope) => Idempotency {
  const organizations = provideOrganizations(environment, limits);
  return (scope) => {
    const { caller } = scope;
    if (caller === undefined) {
      throw new Error('The port "idempotency" needs a caller');
    }
    const table = organizations(scope)(caller.homeOrganizationId);
    const sender = caller.key?.id ?? caller.userId;

    return {
      answerOnce(request, run) {
        const record = keyRecord(table, { ...request, sender, kept }, scope);
        const failed: FailedAction[] = [];
        return table.optimistically(async () => {
          const stored = await record.find();
          if (stored !== undefined) {
            return { ...stored, isRepeated: true };
          }
          const writes = heldWrites(record, failed);
          try {
            const answer = await run(writes);
            await writes.finish(answer);
            return { ...answer, isRepeated: false };
          } catch (error) {
            const cause = await writes.abandon(error);
            // Perhaps it failed because an equal request was faster.
            const faster =
              writes.failed !== undefined || isCorrectable(cause) ? await record.find() : undefined;
            if (faster !== undefined) {
              return { ...faster, isRepeated: true };
            }
            if (writes.failed === undefined) {
              throw cause;
            }
            failed.push(writes.failed);
            throw new VersionConflict();
          }
        });
      },
    };
  };
}
