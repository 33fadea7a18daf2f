import {
  type EventSourceMappingConfiguration,
  type LambdaClient,
  ListTagsCommand,
  paginateListEventSourceMappings,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';

export interface Clients {
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

/** An event source mapping of the stack: its source, its function, and where failures go. */
export interface Mapping {
  readonly id: string;
  readonly sourceArn: string;
  readonly functionArn: string;
  /** The ARN of the on-failure destination, if there is one. */
  readonly destination: string | undefined;
}

/** The event source mappings of a stack's functions, which CloudFormation has tagged with its name. */
export async function mappingsOf(lambda: LambdaClient, stack: string): Promise<Mapping[]> {
  const found: Mapping[] = [];
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {})) {
    for (const mapping of EventSourceMappings.flatMap(known)) {
      if ((await stackOf(lambda, mapping)) === stack) {
        found.push(mapping);
      }
    }
  }
  return found;
}

/** The stack of a mapping's function; undefined when the function is gone, as it may be for other mappings in the account. */
async function stackOf(lambda: LambdaClient, { functionArn }: Mapping): Promise<string | undefined> {
  try {
    // Versions and aliases have no tags, and Lambda refuses to list them.
    const Resource = functionArn.split(':').slice(0, 7).join(':');
    const { Tags = {} } = await lambda.send(new ListTagsCommand({ Resource }));
    return Tags['aws:cloudformation:stack-name'];
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw error;
  }
}

function known({
  UUID: id,
  EventSourceArn: sourceArn,
  FunctionArn: functionArn,
  DestinationConfig,
}: EventSourceMappingConfiguration): Mapping[] {
  return id === undefined || sourceArn === undefined || functionArn === undefined
    ? []
    : [{ id, sourceArn, functionArn, destination: DestinationConfig?.OnFailure?.Destination }];
}
