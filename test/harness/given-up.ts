import type { MessageQueue } from '../../shared/kernel/message-queue.ts';
import type { GivenUp, GivenUpBatch, GivenUpRequest } from '../../shared/kernel/providers/given-up.ts';

/** Dead letters and failed batches in memory: tests add them here, and see which are left. */
export interface RecordingGivenUp extends GivenUp {
  /** The texts of dead letters of deferred requests. */
  readonly deadLetters: Set<string>;
  /** The texts of failed batches, by key. */
  readonly failedBatches: Map<string, string>;
}

export function recordingGivenUp(deferredRequests: MessageQueue): RecordingGivenUp {
  const deadLetters = new Set<string>();
  const failedBatches = new Map<string, string>();
  return {
    deadLetters,
    failedBatches,
    async *requests() {
      yield* [...deadLetters].map(
        (body): GivenUpRequest => ({
          body,
          async tryAgain() {
            await deferredRequests.send(body, { group: 'tried-again' });
            deadLetters.delete(body);
          },
          drop: async () => void deadLetters.delete(body),
        }),
      );
    },
    async *batches() {
      yield* [...failedBatches].map(
        ([key, text]): GivenUpBatch => ({
          text,
          async replace(other) {
            if (other === undefined) {
              failedBatches.delete(key);
            } else {
              failedBatches.set(key, other);
            }
          },
        }),
      );
    },
  };
}
