import { ofKind, operations } from '../../infra/registry.ts';
import { type Providers, type Runtime, systemRuntime } from '../../shared/kernel/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve-stream.ts';
import type { Person, Product } from '../harness/product.ts';
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
    const served = { name, operation, providers: { ...product.providers, ...providers } };
    await serveStream([served], runtime)({ Records: [...batch] });
  }

  /** Tells it of all that is queued. */
  const tellAll = async (person: Person, at?: Date) => tell(await records(person), { at });

  return { records, tell, tellAll };
}
