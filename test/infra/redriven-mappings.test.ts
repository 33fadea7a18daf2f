import type { RequestListener } from 'node:http';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { mappingsOf } from '../../infra/redrive/mappings.ts';
import { withService } from './commands.ts';

const arn = 'arn:aws:lambda:eu-central-1:123456789012:function';
const queue = 'arn:aws:sqs:eu-central-1:123456789012:jobs';
const stacks: Record<string, string> = {
  [`${arn}:ours`]: 'Switchboard-dev',
  [`${arn}:others`]: 'Shop',
};

/** The part of Lambda that lists mappings and tags: it knows no tags of versions and aliases, and none of a function that was deleted. */
const lambda: RequestListener = ({ url = '' }, response) => {
  const [, resource] = /^\/2017-03-31\/tags\/(.+)$/.exec(decodeURIComponent(url)) ?? [];
  const refuse = (status: number, type: string) =>
    response.writeHead(status, { 'x-amzn-errortype': type }).end(JSON.stringify({ Message: type }));
  if (resource === undefined) {
    const functions = ['gone', 'others:live', 'others', 'ours'];
    const mappings = functions.map((name) => ({
      UUID: name,
      EventSourceArn: queue,
      FunctionArn: `${arn}:${name}`,
    }));
    response.end(JSON.stringify({ EventSourceMappings: mappings }));
  } else if (resource.split(':').length > 7) {
    refuse(400, 'InvalidParameterValueException');
  } else if (stacks[resource] === undefined) {
    refuse(404, 'ResourceNotFoundException');
  } else {
    response.end(JSON.stringify({ Tags: { 'aws:cloudformation:stack-name': stacks[resource] } }));
  }
};

test('What else reads queues in the account hinders no redrive: functions that are gone, and aliases', async () => {
  await withService(lambda, async (endpoint) => {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
    const client = new LambdaClient({ endpoint, region: 'eu-central-1', credentials });
    expect(await mappingsOf(client, 'Switchboard-dev')).toEqual([
      { id: 'ours', sourceArn: queue, functionArn: `${arn}:ours`, destination: undefined },
    ]);
    client.destroy();
  });
});
