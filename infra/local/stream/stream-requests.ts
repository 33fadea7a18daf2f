import { text } from 'node:stream/consumers';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest, type HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import type { Credentials } from '../environment.ts';
import { region } from '../template/intrinsics.ts';
import type { WireRecord } from './stream-records.ts';

interface Shard {
  ShardId: string;
  ParentShardId?: string | undefined;
}

/** A shard, and the stream that it belongs to. */
export interface FoundShard extends Shard {
  streamArn: string;
}

/** A page of a shard, with records as they arrived: a record that no function wants is not converted. */
export interface StreamPage {
  records: readonly WireRecord[];
  /** Absent at the end of a shard. */
  next: string | undefined;
  /** Whether it is certain that the shard had no later records when the page was read. */
  isLast: boolean;
}

/** The place in a shard at which reading begins. */
export type StartOfReading =
  | { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER'; SequenceNumber: string }
  | { ShardIteratorType: 'TRIM_HORIZON' | 'LATEST' };

/** The streams of a database. Every call rejects with the database's message when the database refuses it. */
export interface StreamRequests {
  shards(tableName: string): Promise<FoundShard[]>;
  /** The iterator to begin reading with; undefined when there is nothing to read and never will be. */
  iterator(shard: FoundShard, from: StartOfReading): Promise<string | undefined>;
  page(iterator: string): Promise<StreamPage>;
  close(): void;
}

const Streams = z.object({ Streams: z.array(z.object({ StreamArn: z.string() })).default([]) });
const Description = z.object({
  StreamDescription: z.object({
    Shards: z.array(z.object({ ShardId: z.string(), ParentShardId: z.string().optional() })).default([]),
    LastEvaluatedShardId: z.string().optional(),
  }),
});
const Iterator = z.object({ ShardIterator: z.string().optional() });

/** The most records of a page, so that reading one does not block the database or this process for long. */
export const maxRecords = 500;
/** Bytes below which no page has ended because of its size: half of DynamoDB's 1 MB. */
const surelyComplete = 512 * 1024;
const timeouts = { connectionTimeout: 5_000, requestTimeout: 30_000 };

/**
 * Sends requests to the database in its own JSON. The SDK's client would rebuild every attribute of every record, and decode binary from
 * the base64 in which a function gets it.
 */
export function streamRequests(endpoint: string, credentials: Credentials): StreamRequests {
  const requests = signedRequests(endpoint, credentials, timeouts);

  async function send(operation: string, input: object): Promise<string> {
    const response = await requests.send(
      `DynamoDBStreams_20120810.${operation}`,
      'application/x-amz-json-1.0',
      JSON.stringify(input),
    );
    const body = await text(response.body);
    if (response.statusCode !== 200) {
      throw new Error(`${operation} responds ${response.statusCode}: ${body.slice(0, 500)}`);
    }
    return body;
  }

  const ask = async (operation: string, input: object): Promise<unknown> =>
    JSON.parse(await send(operation, input));

  async function shardsOf(streamArn: string): Promise<FoundShard[]> {
    const shards: FoundShard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const input = { StreamArn: streamArn, ExclusiveStartShardId };
      const { StreamDescription: page } = Description.parse(await ask('DescribeStream', input));
      shards.push(...page.Shards.map((shard) => ({ streamArn, ...shard })));
      ExclusiveStartShardId = page.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return shards;
  }

  return {
    async shards(TableName) {
      const { Streams: found } = Streams.parse(await ask('ListStreams', { TableName }));
      return (await Promise.all(found.map(({ StreamArn }) => shardsOf(StreamArn)))).flat();
    },
    async iterator({ streamArn: StreamArn, ShardId }, from) {
      return Iterator.parse(await ask('GetShardIterator', { StreamArn, ShardId, ...from })).ShardIterator;
    },
    async page(ShardIterator) {
      const page = await send('GetRecords', { ShardIterator, Limit: maxRecords });
      const { Records: records = [], NextShardIterator: next } = JSON.parse(page) as {
        Records?: WireRecord[];
        NextShardIterator?: string;
      };
      const isLast = records.length < maxRecords && Buffer.byteLength(page) < surelyComplete;
      return { records, next, isLast };
    },
    close: requests.close,
  };
}

/** Milliseconds until a connection is open, and until the response begins. */
interface Timeouts {
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
}

/** Sends requests to a database in its own JSON, as the SDK's client does. The body of a response is a stream. */
interface SignedRequests {
  /** `target` names the version and the operation. Rejects when there is no response; a response with an error is returned. */
  send(target: string, contentType: string, body: string | Buffer): Promise<HttpResponse>;
  close(): void;
}

/** Requests to the database at this URL, signed with these credentials. Without timeouts they wait indefinitely. */
function signedRequests(endpoint: string, credentials: Credentials, timeouts?: Timeouts): SignedRequests {
  const url = new URL(endpoint);
  const http = new NodeHttpHandler({ ...timeouts, throwOnRequestTimeout: true });
  const signer = new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });
  return {
    async send(target, contentType, body) {
      const request = new HttpRequest({
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port !== '' && { port: Number(url.port) }),
        method: 'POST',
        path: url.pathname,
        headers: { host: url.host, 'content-type': contentType, 'x-amz-target': target },
        body,
      });
      return (await http.handle((await signer.sign(request)) as HttpRequest)).response;
    },
    close: () => http.destroy(),
  };
}
