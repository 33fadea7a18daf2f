import type { MessageQueue } from '../../../../shared/kernel/message-queue.ts';
import { minute, second } from '../../../../shared/kernel/time.ts';

/** A request of a run in the queue of requests to be posted. It names the request and holds none of its data. */
export interface QueuedRequest {
  readonly organizationId: string;
  readonly workflowId: string;
  readonly runId: string;
  /** The number of the step that waits for the answer. */
  readonly n: number;
  /** From 1. */
  readonly attempt: number;
}

/** Milliseconds before each attempt. Source: integrations 4, "The workflow node httpRequest". */
const delays = [0, 5 * second, 5 * minute] as const;

export const maxAttempts = delays.length;

/** Queues a request for its attempt. @throws when the queue does not take it. */
export async function queueRequest(queue: MessageQueue, request: QueuedRequest): Promise<void> {
  await queue.send(JSON.stringify(request), {
    group: request.organizationId,
    delay: delays[request.attempt - 1] ?? 0,
  });
}
