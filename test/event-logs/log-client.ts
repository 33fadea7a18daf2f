import { streamReaders } from '../../infra/function-plan.ts';
import { loadOperations } from '../../infra/registry.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import type { Json } from '../harness/json.ts';
import type { Person, Product } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { everyPage, expectStatus } from '../harness/tenants.ts';

const quiet = { ...systemRuntime, log: () => undefined };

export interface Entry {
  readonly _id: string;
  readonly event: string;
  readonly at: string;
  readonly actor: Record<string, unknown>;
  readonly entity: { readonly type: string; readonly id: string };
  readonly changed: readonly string[];
  readonly requestId?: string;
  readonly count?: number;
}

/** The log of organizations, with the stream that fills it. */
export async function logClient(product: Product) {
  const stream = await tableStream(product);
  const all = await loadOperations();

  const page = async ({ token }: Person, query: Record<string, string> = {}): Promise<Json> =>
    expectStatus(await product.call('list-event-logs', { token, query }), 200);

  return {
    stream,
    page,
    /** All entries that a query finds, newest first, once everything in the background has happened. */
    async entries(by: Person, query: Record<string, string> = {}): Promise<Entry[]> {
      await stream.settle();
      const list = (more: Record<string, string> = {}) =>
        product.call('list-event-logs', { token: by.token, query: { limit: '100', ...query, ...more } });
      return everyPage<Entry>(list);
    },
    /** Delivers these records of the stream once more to the readers that write the log. */
    async repeat(records: Readonly<StreamEvent['Records']>) {
      const writers = streamReaders(all)
        .flatMap(({ operations }) => operations)
        .filter(({ name }) => name === 'log-events' || name === 'log-failed-sign-ins')
        .map((entry) => ({ ...entry, providers: product.providers }));
      const { batchItemFailures } = await serveStream(writers, quiet)({ Records: [...records] });
      if (writers.length !== 2 || batchItemFailures.length > 0) {
        throw new Error('The log did not take the records');
      }
    },
  };
}
