// `npm run redrive`: processes again what failed too often, once its cause is fixed.

import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { publishedEndpoints } from './local/endpoints-file.ts';
import { isProgram } from './project.ts';
import { redriveMessages } from './redrive/dead-letters.ts';
import { redriveBatches } from './redrive/failed-batches.ts';
import { localClients } from './redrive/local-clients.ts';
import { type Clients, mappingsOf } from './redrive/mappings.ts';

/** What is left after a run. */
export interface Redriven {
  /** Failed batches that failed again, or that no function takes. */
  readonly left: number;
}

/**
 * Puts the messages of all dead-letter queues of a stack back into their queues, and hands the failed batches of the table's stream to
 * their readers again. It says what it does, and may be run as often as one likes: everything that is processed twice has its effect
 * once.
 */
export async function redrive(
  clients: Clients,
  stack: string,
  say: (line: string) => void,
): Promise<Redriven> {
  const mappings = await mappingsOf(clients.lambda, stack);
  if (mappings.length === 0) {
    throw new Error(
      `There is no stack ${stack} here: none of its functions reads a queue or a stream. Name another stage with STAGE=.`,
    );
  }
  await redriveMessages(clients.sqs, mappings, say);
  return { left: await redriveBatches(clients, mappings, say) };
}

if (isProgram(import.meta)) {
  const { STAGE: stage = 'dev', DATA_DIR: directory = '.local' } = process.env;
  const isLocal = process.argv.includes('--local');
  const stack = isLocal ? 'Switchboard' : `Switchboard-${stage}`;
  try {
    const clients = isLocal
      ? localClients(await publishedEndpoints(directory))
      : { lambda: new LambdaClient(), sqs: new SQSClient(), s3: new S3Client() };
    const { left } = await redrive(clients, stack, console.log);
    process.exitCode = left === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
