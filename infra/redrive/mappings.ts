import {
  type EventSourceMappingConfiguration,
  type LambdaClient,
  ListTagsCommand,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';

export interface Clients {
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

/** What feeds a function of the stack, and where its failures go. */
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
      const { Tags = {} } = await lambda.send(new ListTagsCommand({ Resource: mapping.functionArn }));
      if (Tags['aws:cloudformation:stack-name'] === stack) {
        found.push(mapping);
      }
    }
  }
  return found;
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
