import { expect } from 'vitest';
import { ofKind, operations } from '../../infra/registry.ts';
import { type Providers, type Runtime, systemRuntime } from '../../shared/kernel/invocation.ts';
import { serveQueue } from '../../shared/kernel/serve-queue.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve-stream.ts';
import { minute } from '../../shared/kernel/time.ts';
import type { Person, Product } from '../harness/product.ts';
import { queueEvent, runtimeAt } from '../harness/queues.ts';
import { rowsOf } from '../seed/table.ts';

export type StreamRecord = StreamEvent['Records'][number];

interface Telling {
  at?: Date | undefined;
  providers?: Providers;
}

/** The stream and its consumer that sends messages, in this process: the stream tells when the test says so. */
export async function outgoingOf(product: Product) {
  const consumer = ofKind(await operations(), 'stream').find(({ name }) => name === 'send-queued-message');
  if (consumer === undefined) {
    throw new Error('Nobody sends messages');
  }
  const { name, operation } = consumer;
  const delayed = ofKind(await operations(), 'queue').find(({ name }) => name === 'send-delayed-message');
  if (delayed === undefined) {
    throw new Error('Nobody sends messages that were put off');
  }
  const { name: delayedName, operation: delayedOperation } = delayed;

  /** What the stream tells of the messages of an organization that are queued now, oldest first. */
  async function records({ organizationId }: Person): Promise<StreamRecord[]> {
    const rows = await rowsOf(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
    return rows
      .filter(
        ({ pk, sk }) => pk.startsWith(`ORG#${organizationId}#`) && sk.startsWith(operation.on.sortPrefix),
      )
      .sort((a, b) => (a.sk < b.sk ? -1 : 1))
      .map(({ pk, sk, data }) => ({
        eventName: 'INSERT',
        dynamodb: {
          Keys: { pk: { S: pk }, sk: { S: sk } },
          NewImage: { data: { S: JSON.stringify(data) } },
        },
      }));
  }

  /** Tells the consumer of a batch; rejects when it throws the batch back. */
  async function tell(batch: readonly StreamRecord[], { at, providers }: Telling = {}) {
    const runtime: Runtime = { ...systemRuntime, clock: () => at ?? new Date(), log: () => undefined };
    const served = { name, operation, providers: { ...(await own()), ...providers } };
    await serveStream([served], runtime)({ Records: [...batch] });
  }

  /** The ports of both functions that send. */
  const own = async (): Promise<Providers> => ({
    ...product.providers,
    objects: await product.objects.provider('downloads'),
  });

  /**
   * Delivers the messages that were put off, whatever their delays; returns those delays, in minutes. Rejects when one of them is to be
   * delivered again.
   */
  async function tellDelayed({ at, providers }: Telling = {}): Promise<number[]> {
    const messages = product.queues.outgoingMessages.take();
    const run = serveQueue(
      delayedName,
      delayedOperation,
      { ...(await own()), ...providers },
      runtimeAt(at === undefined ? {} : { at }),
    );
    expect(await run(queueEvent(messages.map(({ body }) => body)))).toEqual({ batchItemFailures: [] });
    return messages.map(({ delay }) => delay / minute);
  }

  /** Tells it of all that is queued. */
  const tellAll = async (person: Person, at?: Date) => tell(await records(person), { at });

  return { records, tell, tellAll, tellDelayed };
}
