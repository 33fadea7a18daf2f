import { tableStream } from '../harness/table-stream.ts';
import type { Tenants } from '../harness/tenants.ts';
import { deliver, type prepareRuns } from './advancing.ts';

/** Runs that post to addresses outside, with the stream and the queue delivered when a test says so. */
export async function preparePosting({ product }: Tenants, runs: Awaited<ReturnType<typeof prepareRuns>>) {
  const stream = await tableStream(product);
  const queue = product.queues.workflowRuns;
  const isAttempt = ({ body }: { readonly body: string }) => 'attempt' in JSON.parse(body);
  return {
    /** Hands over what the runs have written. */
    settle: () => stream.settle(),
    /** The attempts that wait for their turn. */
    waiting: () => queue.waiting.filter(isAttempt),
    /** Takes the attempts that wait for their turn, and makes none of them. */
    take: () => queue.take(isAttempt),
    /** Makes the attempts that wait for their turn, and has the runs go on. @returns the milliseconds that each had to wait. */
    async attempt(): Promise<number[]> {
      await stream.settle();
      const messages = queue.take(isAttempt);
      await deliver(messages, undefined, runs.providers);
      await stream.settle();
      await runs.deliverAll();
      return messages.map(({ delay }) => delay);
    },
  };
}
