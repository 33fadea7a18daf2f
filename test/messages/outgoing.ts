import { ofKind, operations } from '../../infra/registry.ts';
import type { Providers } from '../../shared/kernel/invocation.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve-stream.ts';
import type { Person, Product } from '../harness/product.ts';
import { rowsOf } from '../seed/table.ts';

export type StreamRecord = StreamEvent['Records'][number];

/** The stream and its consumer that sends messages, in this process: the stream tells when the test says so. */
export interface Outgoing {
  /** What the stream tells of the messages of an organization that are queued now, oldest first. */
  records(person: Person): Promise<StreamRecord[]>;
  /** Tells the consumer of a batch; rejects when it throws the batch back. */
  tell(records: readonly StreamRecord[], more?: { at?: Date; providers?: Providers }): Promise<void>;
  /** Tells it of all that is queued. */
  tellAll(person: Person, at?: Date): Promise<void>;
}

export async function outgoingOf(product: Product): Promise<Outgoing> {
  const consumer = ofKind(await operations(), 'stream').find(({ name }) => name === 'send-queued-message');
  if (consumer === undefined) {
    throw new Error('Nobody sends messages');
  }
  const { name, operation } = consumer;

  async function records({ organizationId }: Person): Promise<StreamRecord[]> {
    const rows = await rowsOf(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
    return rows
      .filter(
        ({ pk, sk }) => pk.startsWith(`ORG#${organizationId}#`) && sk.startsWith(operation.on.sortPrefix),
      )
      .sort((a, b) => (a.sk < b.sk ? -1 : 1))
      .map(({ pk, sk, data }) => ({
        eventName: operation.on.change,
        dynamodb: {
          Keys: { pk: { S: pk }, sk: { S: sk } },
          NewImage: { data: { S: JSON.stringify(data) } },
        },
      }));
  }

  const tell: Outgoing['tell'] = async (batch, { at, providers } = {}) => {
    const runtime: Runtime = { ...systemRuntime, clock: () => at ?? new Date(), log: () => undefined };
    const served = { name, operation, providers: { ...product.providers, ...providers } };
    await serveStream([served], runtime)({ Records: [...batch] });
  };

  return { records, tell, tellAll: async (person, at) => tell(await records(person), at ? { at } : {}) };
}
