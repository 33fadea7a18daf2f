import { randomUUID } from 'node:crypto';
import { account, region } from './intrinsics.ts';
import type { StreamRecord } from './stream-records.ts';
import type { FoundShard } from './table-stream.ts';

/** Records that an event source mapping gives up. */
export interface GivenUp {
  functionName: string;
  shard: FoundShard;
  records: readonly StreamRecord[];
  condition: string;
  attempts: number;
}

/** What Lambda sends to the on-failure destination in place of the records; undefined when there are none. */
export function failureMessage({ functionName, shard, records, condition, attempts }: GivenUp) {
  const [first, last] = [records[0]?.dynamodb, records.at(-1)?.dynamodb];
  if (!first || !last) {
    return undefined;
  }
  const time = (seconds: number) => new Date(seconds * 1000).toISOString();
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: `arn:aws:lambda:${region}:${account}:function:${functionName}`,
      condition,
      approximateInvokeCount: attempts,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId: shard.ShardId,
      startSequenceNumber: first.SequenceNumber,
      endSequenceNumber: last.SequenceNumber,
      approximateArrivalOfFirstRecord: time(first.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: time(last.ApproximateCreationDateTime),
      batchSize: records.length,
      streamArn: shard.streamArn,
    },
  };
}
