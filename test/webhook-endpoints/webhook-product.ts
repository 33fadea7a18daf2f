import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { NewEvent } from '../../shared/events/outbox.ts';
import { type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { clockClient } from '../harness/clock.ts';
import type { Json } from '../harness/json.ts';
import type { Person } from '../harness/product.ts';
import { queueEvent } from '../harness/queues.ts';
import { expectStatus } from '../harness/tenants.ts';
import { setUpLiveProduct } from '../live/fixtures.ts';
import { workflowToggled } from '../live/live-product.ts';

/** The product with what delivers events to webhook endpoints. */
export async function setUpWebhookProduct() {
  const live = await setUpLiveProduct();
  const { product } = live;
  const clock = clockClient(product);
  const queue = product.queues.webhookPosts;
  const consumer = ofKind(await loadOperations(), 'orderedQueue').find(
    ({ operation }) => operation.queue === 'webhookPosts',
  );
  if (consumer === undefined) {
    throw new Error('Nobody posts to webhook endpoints');
  }
  const { name, operation } = consumer;

  /**
   * Takes the messages one by one until none is left, as those of a lane are taken.
   * @returns the log lines, with the lane of each message and its endpoint.
   */
  async function post(at?: Date, providers: Providers = {}): Promise<Record<string, unknown>[]> {
    const lines: Record<string, unknown>[] = [];
    const runtime = {
      ...systemRuntime,
      clock: () => at ?? new Date(),
      log: (line: Record<string, unknown>) => void lines.push(line),
    };
    const handle = serveQueue(name, operation, { ...product.providers, ...providers }, runtime);
    for (let some = queue.take(); some.length > 0; some = queue.take()) {
      for (const { body, group } of some) {
        const { batchItemFailures } = await handle(queueEvent([body]));
        if (batchItemFailures.length > 0) {
          throw new Error(`Not posted: ${JSON.stringify(lines.at(-1))}`);
        }
        lines.push({ ...lines.pop(), group, endpointId: JSON.parse(body).endpointId });
      }
    }
    return lines;
  }

  return {
    ...live,
    queue,
    clock,
    post,
    /** Lets an event happen, and hands it over for posting. */
    async emit(admin: Person, event: NewEvent = workflowToggled, at?: Date): Promise<string> {
      const id = await live.happen(admin.organizationId, event, at);
      await live.deliver([id], at);
      return id;
    },
    /** Does what is due at a time, and posts. */
    async retry(at: Date): Promise<void> {
      await clock.run(at);
      await post(at);
    },
    async deliveries({ token }: Person, id: string, query: Record<string, string> = {}) {
      const call = { token, path: { id }, query };
      const { data } = expectStatus(await product.call('list-webhook-deliveries', call), 200);
      return data as Json[];
    },
  };
}
