import { randomUUID } from 'node:crypto';
import { noDeadline } from '../../../shared/kernel/deadline.ts';
import { bucketFrom } from '../../../shared/ports/aws/s3-bucket.ts';
import { objectRequests } from '../../../shared/ports/aws/s3-requests.ts';
import type { Credentials } from '../environment.ts';
import { account, region } from '../template/intrinsics.ts';
import type { StreamRecord } from './stream-records.ts';
import type { FoundShard } from './stream-requests.ts';

/** Records that an event source mapping has given up. */
export interface GivenUp {
  /** The mapping's id. */
  mapping: string;
  /** The ARN of a queue or of a bucket. */
  destination: string;
  functionName: string;
  shard: FoundShard;
  records: readonly StreamRecord[];
  condition: string;
  attempts: number;
}

export interface Destinations {
  sendToQueue(arn: string, body: string): void;
  objectStore(): { endpoint: string; credentials: Credentials };
}

/** Reports records that are given up to the on-failure destination, as Lambda does: only a bucket gets the records themselves. */
export function failureDestination({ sendToQueue, objectStore }: Destinations) {
  return async (givenUp: GivenUp): Promise<void> => {
    const message = failureMessage(givenUp);
    if (message === undefined) {
      return;
    }
    const [, , service, , , name = ''] = givenUp.destination.split(':');
    if (service !== 's3') {
      return sendToQueue(givenUp.destination, JSON.stringify(message));
    }
    const { endpoint, credentials } = objectStore();
    const bucket = bucketFrom({
      BUCKET_NAME: name,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_S3: endpoint,
    });
    const payload = JSON.stringify({ Records: givenUp.records });
    const object = Buffer.from(JSON.stringify({ ...message, payload }));
    const requests = objectRequests(bucket)({ deadline: noDeadline });
    await requests.put(keyOf(givenUp, message.timestamp), object, { ContentType: 'application/json' });
  };
}

/** The key of a failed batch. Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
function keyOf({ mapping, shard }: GivenUp, timestamp: string): string {
  const day = timestamp.slice(0, 10).replaceAll('-', '/');
  const time = timestamp.slice(0, 19).replaceAll(':', '.');
  return `aws/lambda/${mapping.replaceAll('/', '-')}/${shard.ShardId}/${day}/${time}-${randomUUID()}`;
}

/** The message that Lambda sends about the records; undefined when there are none. */
function failureMessage({ functionName, shard, records, condition, attempts }: GivenUp) {
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
