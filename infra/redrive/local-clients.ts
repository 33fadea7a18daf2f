import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Endpoints } from '../local/endpoints-file.ts';
import { region } from '../local/template/intrinsics.ts';
import type { Clients } from './mappings.ts';

/** Clients of the local host. */
export function localClients({ lambda, objectStore, queues, credentials }: Endpoints): Clients {
  const at = (endpoint: string) => ({ endpoint, region, credentials });
  return {
    lambda: new LambdaClient(at(lambda)),
    sqs: new SQSClient(at(queues)),
    s3: new S3Client({ ...at(objectStore), forcePathStyle: true }),
  };
}
