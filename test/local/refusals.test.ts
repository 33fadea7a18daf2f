import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startHost } from '../../infra/local/host.ts';
import type { Json } from '../harness/json.ts';
import { changedAssembly } from './fixture/changed-assembly.ts';

const directory = await mkdtemp(join(tmpdir(), 'refusals-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What a host says instead of starting on the fixture with one template changed. */
async function refusalOf(stack: string, change: (resources: Json) => void): Promise<string> {
  const assembly = await changedAssembly(directory, stack, ({ Resources }) => change(Resources));
  const outcome = await startHost({ assembly, port: 0 }).catch((error: unknown) => error);
  if (!(outcome instanceof Error)) {
    await (outcome as { stop(): Promise<void> }).stop();
    throw new Error('The host started.');
  }
  return outcome.message;
}

const first = (resources: Json, type: string) =>
  Object.values<Json>(resources).find(({ Type }) => Type === `AWS::${type}`);

test('A host says which resources it cannot run, and does not start', async () => {
  const unknown = await refusalOf('FixtureData', (resources) => {
    resources.Bus = { Type: 'AWS::Events::EventBus', Properties: {} };
  });
  expect(unknown).toBe('The local host cannot run these resources: FixtureData/Bus (AWS::Events::EventBus).');
  const conditional = await refusalOf('FixtureData', (resources) => {
    first(resources, 'SQS::Queue').Condition = 'Never';
  });
  expect(conditional).toMatch(
    /^The local host cannot run these resources: FixtureData\/\w+ \(AWS::SQS::Queue, on a condition\)\.$/,
  );
});

const filter = (rule: object) => ({ Filters: [{ Pattern: JSON.stringify({ eventName: [rule] }) }] });
const target = (more: object) => ({
  Targets: [{ Id: 'One', Arn: 'arn:aws:sqs:us-east-1:1:queue', ...more }],
});
const functionArn = 'arn:aws:lambda:us-east-1:1:function:x';

test.each<[string, object, string]>([
  ['Lambda::Function', { Layers: ['arn:aws:lambda:us-east-1:1:layer:x:1'] }, 'does not support layers'],
  [
    'Lambda::EventSourceMapping',
    { FilterCriteria: filter({ exists: true }) },
    'supports only texts and prefixes',
  ],
  ['DynamoDB::Table', { GlobalSecondaryIndexes: [] }, 'does not support secondary indexes'],
  ['SecretsManager::Secret', { GenerateSecretString: { PasswordLength: 40 } }, 'PasswordLength'],
  ['ApiGatewayV2::Integration', { IntegrationType: 'MOCK' }, 'supports only integrations of functions'],
  ['Events::Rule', { ScheduleExpression: 'cron(0 9 * * ? *)' }, 'only rates of minutes, hours or days'],
  ['Events::Rule', { EventPattern: { source: ['aws.s3'] } }, 'does not support patterns of events'],
  ['Events::Rule', { ScheduleExpression: undefined }, 'only rules with a schedule'],
  ['Events::Rule', target({}), 'the local host supports only functions'],
  ['Events::Rule', target({ Arn: functionArn, InputPath: '$.time' }), 'does not transform events'],
])('A host says which AWS::%s has a property that it cannot run: %j', async (type, properties, problem) => {
  const stack = /^(DynamoDB|SecretsManager)/.test(type) ? 'FixtureData' : 'FixtureApi';
  const refusal = await refusalOf(stack, (resources) =>
    Object.assign(first(resources, type).Properties, properties),
  );
  expect(refusal).toMatch(new RegExp(`^The local host cannot run ${stack}/\\w+ \\(AWS::${type}\\):`));
  expect(refusal).toContain(problem);
});

const integrationOf = (operation: Json) => operation['x-amazon-apigateway-integration'];

test.each<[string, (body: Json) => void, string]>([
  [
    'an integration of something else than a function',
    ({ paths }) => Object.assign(integrationOf(paths['/echo'].get), { type: 'HTTP_PROXY' }),
    'supports only integrations of functions',
  ],
  [
    'a route of any method',
    ({ paths }) => Object.assign(paths, { '/any': { 'x-amazon-apigateway-any-method': paths['/echo'].get } }),
    'does not support routes of any method',
  ],
  [
    'a greedy parameter',
    ({ paths }) => Object.assign(paths, { '/any/{proxy+}': paths['/echo'] }),
    'does not support greedy parameters',
  ],
  [
    'an authorizer that looks at the query string',
    ({ components }) =>
      Object.assign(components.securitySchemes.callers['x-amazon-apigateway-authorizer'], {
        identitySource: '$request.querystring.a',
      }),
    'supports only headers as identity sources',
  ],
])('A host says that it cannot run an HTTP API with %s', async (_, change, problem) => {
  const refusal = await refusalOf('FixtureApi', (resources) => {
    const api = Object.values<Json>(resources).find(({ Properties }) => Properties?.Body !== undefined);
    change(api.Properties.Body);
  });
  expect(refusal).toMatch(/^The local host cannot run FixtureApi\/Http \(AWS::ApiGatewayV2::Api\):/);
  expect(refusal).toContain(problem);
});
