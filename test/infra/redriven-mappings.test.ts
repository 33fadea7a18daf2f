import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListTagsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { mappingsOf } from '../../infra/redrive.ts';

test('What else reads queues in the account hinders no redrive: functions that are gone, and aliases', async () => {
  const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;
  const queue = 'arn:aws:sqs:eu-central-1:123456789012:jobs';
  const EventSourceMappings = ['gone', 'others:live', 'others', 'ours'].map((UUID) => ({
    UUID,
    EventSourceArn: queue,
    FunctionArn: arnOf(UUID),
  }));
  const tagsOf = (stack: string) => ({ Tags: { 'aws:cloudformation:stack-name': stack } });
  const lambda = mockClient(LambdaClient)
    .on(ListEventSourceMappingsCommand)
    .resolves({ EventSourceMappings })
    // Lambda knows no tags of aliases.
    .on(ListTagsCommand)
    .rejects('InvalidParameterValueException')
    .on(ListTagsCommand, { Resource: arnOf('gone') })
    .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'It is gone' }))
    .on(ListTagsCommand, { Resource: arnOf('others') })
    .resolves(tagsOf('Shop'))
    .on(ListTagsCommand, { Resource: arnOf('ours') })
    .resolves(tagsOf('Switchboard-dev'));
  expect(await mappingsOf(new LambdaClient({ region: 'eu-central-1' }), 'Switchboard-dev')).toEqual([
    { id: 'ours', sourceArn: queue, functionArn: arnOf('ours'), destination: undefined },
  ]);
  lambda.restore();
});
