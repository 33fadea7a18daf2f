import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach } from 'vitest';
import { startDatabase } from '../../infra/local/database/database.ts';
import { provideTable } from '../../infra/local/database/tables.ts';
import { type EventSources, openEventSources } from '../../infra/local/stream/event-sources.ts';
import type { StreamRecord } from '../../infra/local/stream/stream-records.ts';
import { type StreamRequests, streamRequests } from '../../infra/local/stream/stream-requests.ts';
import type { StreamPlan, TablePlan } from '../../infra/local/template/plan.ts';

export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** A mapping of a function with its own name. */
export function mapping(table: TablePlan, name: string, more: Partial<StreamPlan> = {}): StreamPlan {
  return {
    id: name,
    tableName: table.name,
    EventSourceArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${table.name}/stream/now`,
    FunctionName: name,
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    MaximumRetryAttempts: -1,
    MaximumRecordAgeInSeconds: -1,
    BisectBatchOnFunctionError: false,
    FunctionResponseTypes: [],
    FilterCriteria: { Filters: [{ Pattern: { eventName: ['INSERT'] } }] },
    DestinationConfig: { OnFailure: { Destination: 'failures' } },
    ...more,
  };
}

export const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

type Handler = (records: StreamRecord[]) => unknown;

interface ReadingOptions {
  file?: string;
  handlers?: Record<string, Handler>;
  streams?: StreamRequests;
  gatherMilliseconds?: number;
  idleMilliseconds?: number;
}

export interface Reading {
  sources: EventSources;
  /** The sequence numbers that each function has got and finished, in order. */
  got(name: string): number[];
}

/** A database with streams for the tests of one file. */
export async function setUpStreams() {
  const directory = await mkdtemp(join(tmpdir(), 'event-sources-'));
  const path = join(directory, 'database.sqlite');
  const database = await startDatabase(path);
  const client = new DynamoDBClient({ endpoint: database.endpoint, region: 'us-east-1', credentials });
  let tables = 0;
  const opened: EventSources[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sources) => sources.stop()));
  });
  afterAll(async () => {
    client.destroy();
    await database.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** An empty table with a stream. */
  async function newTable(): Promise<TablePlan> {
    tables += 1;
    const plan: TablePlan = {
      name: `table-${tables}`,
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    };
    await provideTable(client, plan, path);
    return plan;
  }

  const put = async ({ name }: TablePlan, pk: string, more = {}) => {
    await client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: pk }, ...more } }));
  };

  /** Runs mappings; what a function does with its records is `handlers`' matter. */
  async function reading(plans: StreamPlan[], options: ReadingOptions = {}): Promise<Reading> {
    const got = new Map<string, number[]>();
    const sources = await openEventSources({
      streams: options.streams ?? streamRequests(database.endpoint, credentials),
      file: options.file,
      async invoke(name, event) {
        const { Records } = event as { Records: StreamRecord[] };
        const answer = await options.handlers?.[name]?.(Records);
        const numbers = Records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber));
        got.set(name, [...(got.get(name) ?? []), ...numbers]);
        return answer;
      },
      setAside: async () => undefined,
      gatherMilliseconds: options.gatherMilliseconds ?? 0,
      idleMilliseconds: options.idleMilliseconds ?? 20,
      log: () => undefined,
    });
    opened.push(sources);
    await sources.run(plans);
    return { sources, got: (name) => got.get(name) ?? [] };
  }

  return { directory, newTable, put, reading };
}
