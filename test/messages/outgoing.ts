import { expect } from 'vitest';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { Providers } from '../../shared/kernel/serve/invocation.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { minute } from '../../shared/kernel/time.ts';
import { rowsOfOrganization } from '../contacts/raw-table.ts';
import type { Person, Product } from '../harness/product.ts';
import { queueEvent, runtimeAt, type SentMessage } from '../harness/queues.ts';

export type StreamRecord = StreamEvent['Records'][number];

interface Telling {
  at?: Date | undefined;
  providers?: Providers;
}

/** The stream, the queue that it fills, and the function that sends, in this process: the stream tells when the test says so. */
export async function prepareOutgoing(product: Product) {
  const consumer = ofKind(await loadOperations(), 'stream').find(
    ({ name }) => name === 'hand-over-text-messages',
  );
  const sender = ofKind(await loadOperations(), 'queue').find(({ name }) => name === 'send-text-message');
  if (consumer === undefined || sender === undefined) {
    throw new Error('Nobody sends messages');
  }
  const { name, operation } = consumer;
  const { name: senderName, operation: sending } = sender;
  const queue = product.queues.outgoingTexts;

  /** The stream records of the queued messages of an organization, oldest first. */
  async function records({ organizationId }: Person): Promise<StreamRecord[]> {
    const rows = await rowsOfOrganization(product, organizationId);
    return rows
      .filter(({ sk }) => sk.startsWith(operation.on.sortPrefix))
      .sort((a, b) => (a.sk < b.sk ? -1 : 1))
      .map(({ pk, sk, data }) => ({
        eventName: 'INSERT',
        dynamodb: {
          Keys: { pk: { S: pk }, sk: { S: sk } },
          NewImage: { data: { S: JSON.stringify(data) } },
        },
      }));
  }

  /** Lets the stream hand a batch over; rejects when it has to be told again. */
  async function handOver(batch: readonly StreamRecord[]) {
    const served = { name, operation, providers: { ...product.providers, queue: () => queue } };
    await serveStream([served], runtimeAt({}))({ Records: [...batch] });
  }

  /** Delivers messages of the queue, all at the same time; returns those that are to be delivered again. */
  async function deliver(messages: readonly SentMessage[], { at, providers }: Telling = {}) {
    const own = {
      ...product.providers,
      objects: await product.objects.provider('downloads'),
      queue: () => queue,
    };
    const runtime = runtimeAt(at === undefined ? {} : { at });
    const run = serveQueue(senderName, sending, { ...own, ...providers }, runtime);
    const { batchItemFailures } = await run(queueEvent(messages.map(({ body }) => body)));
    return batchItemFailures.map(({ itemIdentifier }) => messages[Number(itemIdentifier)] as SentMessage);
  }

  /** Lets the stream hand a batch over, and delivers what is to be tried at once. Rejects when any of it has to be delivered again. */
  async function tell(batch: readonly StreamRecord[], telling: Telling = {}) {
    await handOver(batch);
    expect(
      await deliver(
        queue.take(({ delay }) => delay === 0),
        telling,
      ),
    ).toEqual([]);
  }

  /**
   * Delivers the messages that were postponed, whatever their delays; returns those delays, in minutes. Rejects when one of them is to be
   * delivered again.
   */
  async function tellDelayed(telling: Telling = {}): Promise<number[]> {
    const messages = queue.take();
    expect(await deliver(messages, telling)).toEqual([]);
    return messages.map(({ delay }) => delay / minute);
  }

  /** Tells it of all that is queued. */
  const tellAll = async (person: Person, at?: Date) => tell(await records(person), { at });

  return { records, handOver, deliver, tell, tellAll, tellDelayed };
}
