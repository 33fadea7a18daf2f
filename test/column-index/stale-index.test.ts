import { expect, test } from 'vitest';
import { noteStaleAction, requestCompactions } from '../../shared/column-index/request-compactions.ts';
import type { MessageQueue } from '../../shared/kernel/message-queue.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { invocationScope } from '../harness/objects.ts';

const product = await setUpProduct();
const platform = product.providers.platform?.(invocationScope(undefined)) as TableWriter<'platform'>;
const index = { organizationId: 'acme', pipelineId: 'leads' };

/** A queue, and how many messages were sent to it; `onSend` happens before each. */
function countingQueue(onSend: () => Promise<void> = async () => undefined) {
  const sent: unknown[] = [];
  const queue: MessageQueue = {
    async send(body) {
      await onSend();
      sent.push(JSON.parse(body));
    },
  };
  return { queue, sent };
}

test('An index that a contact leaves while its compaction is being requested is compacted once more', async () => {
  const note = () => platform.commit([noteStaleAction(platform, index)]);
  await note();
  const first = countingQueue(note);
  expect(await requestCompactions({ platform, queue: first.queue })).toEqual({ requested: 1 });
  const second = countingQueue();
  expect(await requestCompactions({ platform, queue: second.queue })).toEqual({ requested: 1 });
  expect(second.sent).toEqual([{ ...index, begin: 'compaction', isStale: true }]);
  expect(await requestCompactions({ platform, queue: second.queue })).toEqual({ requested: 0 });
});
