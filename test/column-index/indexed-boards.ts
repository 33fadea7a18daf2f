import { expect } from 'vitest';
import compactSearchIndex from '../../functions/contacts/compact-search-index.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { planBoard } from '../../shared/board/board-plan.ts';
import { BoardQuery } from '../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { readFilteredColumns } from '../../shared/board/listed-columns.ts';
import type { ColumnPage } from '../../shared/board/page-cache.ts';
import { searchPage } from '../../shared/board/search-page.ts';
import { IndexCache } from '../../shared/column-index/cached-index.ts';
import { boardCounterRange } from '../../shared/contact-aggregate/counters.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stagesById } from '../../shared/contacts/stages.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { joined } from '../../shared/table/key.ts';
import type { TableReader } from '../../shared/table/table.ts';
import type { Person, Product } from '../harness/product.ts';
import { queueEvent } from '../harness/queues.ts';

/** A column of a board: ids of the page, in order, and the total. */
export interface FoundColumn {
  readonly ids: readonly string[];
  readonly total: number;
}

export type FoundBoard = Record<string, FoundColumn>;

/** The ports of a search by the index, without the kernel. */
async function asked(table: TableReader, { userId, organizationId }: Person, body: object, now: Date) {
  const { data, version: pipelinesVersion } = await readPipelines(table);
  const query = BoardQuery.parse(body);
  const caller = { userId, organizationId, homeOrganizationId: organizationId, role: 'ADMIN' } as const;
  const plan = planBoard(query, data.pipelines, { caller, users: [], zone: 'UTC' }, now);
  const customFields = await loadCustomFieldTests(query.customFilters);
  return { plan, customFields, stages: stagesById(data.pipelines), pipelinesVersion };
}

function foundIn(pages: ReadonlyMap<string, ColumnPage>): FoundBoard {
  return Object.fromEntries(
    [...pages].map(([stageId, { contacts, total }]) => {
      const ids = (JSON.parse(contacts) as { _id: string }[]).map(({ _id }) => _id);
      return [stageId, { ids, total }];
    }),
  );
}

/** The board that the index finds; undefined if only the lists can tell. New `indexes` stand for a process that has cached nothing. */
export async function indexedBoard(
  table: TableReader,
  person: Person,
  body: object,
  { indexes = new IndexCache(), now = new Date() } = {},
): Promise<FoundBoard | undefined> {
  const found = await searchPage(table, await asked(table, person, body, now), now, indexes);
  return found && foundIn(found);
}

/** The same by reading every card. */
export async function listedBoard(
  table: TableReader,
  person: Person,
  body: object,
  now = new Date(),
): Promise<FoundBoard> {
  return foundIn(await readFilteredColumns(table, await asked(table, person, body, now)));
}

/** The stream and the reader that updates the index, in this process: it delivers when the test says so. */
export async function streamOfCounters(product: Product) {
  const consumer = ofKind(await loadOperations(), 'stream').find(
    ({ name }) => name === 'index-changed-contacts',
  );
  if (consumer === undefined) {
    throw new Error('Nobody keeps the index');
  }
  const { name, operation } = consumer;
  return {
    /** The counters as the stream would deliver them now. */
    async records(organizationId: string, pipelineId: string): Promise<StreamEvent['Records']> {
      const { table } = product.tableOf(organizationId);
      const counters = await table.list(boardCounterRange(pipelineId, ['all']));
      return counters.map(({ key, attributes = {} }) => {
        const image = Object.entries(attributes).map(([attribute, value]) => [
          attribute,
          typeof value === 'number' ? { N: String(value) } : { S: String(value) },
        ]);
        return {
          eventName: 'MODIFY',
          dynamodb: {
            Keys: {
              pk: { S: joined(['ORG', organizationId, ...key.partition]) },
              sk: { S: joined(key.sort) },
            },
            NewImage: Object.fromEntries(image),
          },
        };
      });
    },
    /** Delivers changes to the reader; rejects if it refuses them. */
    async tell(records: StreamEvent['Records'], at?: Date): Promise<void> {
      const runtime = { ...systemRuntime, clock: () => at ?? new Date(), log: logDefect };
      const providers = { ...product.providers, queue: () => product.queues.compactions };
      await serveStream([{ name, operation, providers }], runtime)({ Records: records });
    },
  };
}

/** Delivers all messages that ask for parts of compactions, and those that these send. */
export async function deliverCompactions({ providers, queues }: Product, at?: Date): Promise<void> {
  const runtime = { ...systemRuntime, clock: () => at ?? new Date(), log: logDefect };
  const own = { ...providers, queue: () => queues.compactions };
  const serve = serveQueue('compact-search-index', compactSearchIndex, own, runtime);
  while (queues.compactions.waiting.length > 0) {
    const bodies = queues.compactions.take().map(({ body }) => body);
    expect(await serve(queueEvent(bodies))).toEqual({ batchItemFailures: [] });
  }
}

function logDefect(line: Record<string, unknown>): void {
  if (line.defect !== undefined) {
    console.error(JSON.stringify(line, null, 2));
  }
}
