// `npm run redrive`: processes failed messages and batches again, once the cause is fixed.

import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { publishedEndpoints } from './local/endpoints-file.ts';
import { isProgram } from './project.ts';
import { redriveMessages } from './redrive/dead-letters.ts';
import { redriveBatches } from './redrive/failed-batches.ts';
import { localClients } from './redrive/local-clients.ts';
import { type Clients, mappingsOf } from './redrive/mappings.ts';
import { inOneLine, targetOf } from './target.ts';

/** The result of a run. */
export interface Redriven {
  /** The number of batches that failed again, or that no function takes. */
  readonly left: number;
}

/**
 * Moves the messages of all dead-letter queues of a stack back into their queues, and passes the failed batches of the table's stream to
 * their readers again. It prints what it does, and may run any number of times: what is processed twice has its effect once.
 */
export async function redrive(
  clients: Clients,
  stack: string,
  say: (line: string) => void,
): Promise<Redriven> {
  const mappings = await mappingsOf(clients.lambda, stack);
  if (mappings.length === 0) {
    throw new Error(
      `There is no stack ${stack} here: none of its functions reads a queue or a stream. Name another stage with STAGE=, or another region with AWS_REGION=.`,
    );
  }
  await redriveMessages(clients.sqs, mappings, say);
  return { left: await redriveBatches(clients, mappings, say) };
}

/** Clients of AWS that take credentials and region from the environment. @throws an error for a person when something is missing. */
async function awsClients(): Promise<Clients> {
  const { region } = await targetOf('redrive', process.env);
  return {
    lambda: new LambdaClient({ region }),
    sqs: new SQSClient({ region }),
    s3: new S3Client({ region }),
  };
}

if (isProgram(import.meta)) {
  const { STAGE: stage = 'dev', DATA_DIR: directory = '.local' } = process.env;
  const isLocal = process.argv.includes('--local');
  const stack = isLocal ? 'Switchboard' : `Switchboard-${stage}`;
  try {
    const clients = isLocal ? localClients(await publishedEndpoints(directory)) : await awsClients();
    const { left } = await redrive(clients, stack, console.log);
    process.exitCode = left === 0 ? 0 : 1;
  } catch (error) {
    console.error(inOneLine(error));
    process.exitCode = 1;
  }
}
