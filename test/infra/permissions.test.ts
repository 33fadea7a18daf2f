import { afterAll, expect, test } from 'vitest';
import { type FunctionPlan, planFunctions } from '../../infra/function-plan.ts';
import { loadOperations } from '../../infra/registry.ts';
import { portUses, stepPortUses } from '../../shared/kernel/uses.ts';
import { allowedActions, type Statement, statementsFor, synthesized } from './synthesized.ts';

const functions = planFunctions(await loadOperations());
const app = await synthesized();
afterAll(() => app.remove());

const logging = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const reading = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const writing = [
  ...reading,
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];
const streaming = [
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
  's3:ListBucket',
  's3:PutObject',
];
const taking = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

/** The permissions of each port, deliberately written down a second time. */
const allowed: Record<string, readonly string[]> = {
  'table:read': reading,
  'table:write': writing,
  'callerRecords:check': reading,
  'idempotency:keep': writing,
  'deferredRequests:defer': ['sqs:SendMessage'],
  'givenUp:erase': [
    ...['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
    ...['sqs:DeleteMessage', 'sqs:ReceiveMessage', 'sqs:SendMessage'],
  ],
  // Nothing, where no sender is configured: test/infra/mail-port.test.ts has one.
  'mail:send': [],
  'mail:sender': [],
  'queue:outgoingMail': ['sqs:SendMessage'],
  'queue:outgoingTexts': ['sqs:SendMessage'],
  'queue:workflowRuns': ['sqs:SendMessage'],
  'queue:compactions': ['sqs:SendMessage'],
  'queue:liveEvents': ['sqs:SendMessage'],
  'webhookPosts:send': ['sqs:SendMessage'],
  'organizations:read': reading,
  'organizations:write': writing,
  // Those of the operations that it runs.
  'dueOperations:run': [],
  'stepOperations:run': [],
  'stepOperations:simulate': [],
  'ownRequests:forward': [],
  'identity:read': reading,
  'identity:write': writing,
  'keyUses:note': writing,
  'rateLimits:limit': writing,
  'platform:read': reading,
  'platform:write': writing,
  'secrets:open': ['secretsmanager:GetSecretValue'],
  'secrets:seal': ['secretsmanager:GetSecretValue'],
  'tokens:verify': [],
  'tokens:sign': ['secretsmanager:GetSecretValue'],
  'passwords:hash': [],
  'signingSecret:rotate': ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
  'sockets:post': ['execute-api:ManageConnections'],
  'objects:downloads': ['s3:GetObject'],
  'objects:attachments': ['s3:GetObject'],
  'objects:newAttachments': ['s3:GetObject', 's3:PutObject'],
  'objects:uploads': ['s3:PutObject'],
  'objects:importFiles': ['s3:GetObject', 's3:PutObject'],
  'objects:storedDocuments': ['s3:GetObject'],
  'objects:documents': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
  'objects:plans': ['s3:GetObject'],
  'objects:exports': ['s3:GetObject', 's3:PutObject'],
  'objects:exportFiles': ['s3:GetObject', 's3:PutObject'],
  'objects:erasure': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
  'sms:send': ['secretsmanager:GetSecretValue'],
  'socketUrl:read': [],
  'outgoingPosts:send': [],
  'trialPolicy:read': [],
  'connectionLimit:read': [],
  'asset:openapi': [],
  'asset:asyncapi': [],
  'asset:documentation': [],
  'asset:documentationIndex': [],
  'asset:documentationText': [],
  'asset:routes': [],
  'asset:tools': [],
  'asset:workflowNodeTypes': [],
  'asset:client': [],
  'asset:clientTypes': [],
};

/** The accesses of operations that are only simulated. */
const simulated: Record<string, string> = { write: 'read', newAttachments: 'attachments' };

/**
 * What the operations of a function declare, and what the kernel adds: of a port, one may want to read and another to write. Then what
 * the operations declare that it performs in steps.
 */
function portsOf({ trigger, operations, steps = [] }: FunctionPlan): [port: string, access: string][] {
  const own = operations.flatMap(({ operation }) =>
    Object.entries(trigger === 'deferred' ? operation.uses : portUses(operation)),
  );
  const performed = steps.flatMap(({ operation }) =>
    Object.entries({ table: 'write', ...stepPortUses(operation) }),
  );
  const simulates = own.some(([name, access]) => name === 'stepOperations' && access === 'simulate');
  return [
    ...own,
    ...performed.map(([name, access]): [string, string] => [
      name,
      simulates ? (simulated[access] ?? access) : access,
    ]),
  ];
}

function expectedActions(plan: FunctionPlan): string[] {
  const ports = portsOf(plan).map(([name, access]) => `${name}:${access}`);
  const granted = ports.flatMap((port) => allowed[port] ?? [`unknown port ${port}`]);
  const further = plan.trigger === 'stream' ? streaming : [];
  const takes = ['queue', 'orderedQueue', 'deferred'].includes(plan.trigger) ? taking : [];
  return [...new Set([...logging, ...granted, ...further, ...takes])].sort();
}

/** The key space of each port on the table. */
const spaces: Record<string, string> = {
  table: 'ORG#*',
  callerRecords: 'ORG#*',
  idempotency: 'ORG#*#IDEMPOTENCY#*',
  organizations: 'ORG#*',
  identity: 'IDENTITY#*',
  keyUses: 'IDENTITY#API_KEY_USE#*',
  rateLimits: 'IDENTITY#SPENDING#*',
  platform: 'PLATFORM#*',
};

/**
 * The partitions that each action on items reaches: to write, those of the ports that write; to require a condition, those and the
 * caller's records; to read, those of all.
 */
function expectedKeys(plan: FunctionPlan): Record<string, string[]> {
  const ports = portsOf(plan).filter(([name]) => name in spaces);
  const spacesOf = (some: typeof ports) => [...new Set(some.map(([name]) => spaces[name] ?? ''))].sort();
  const writable = spacesOf(
    ports.filter(([, access]) => ['write', 'limit', 'keep', 'note'].includes(access)),
  );
  return Object.fromEntries(
    (writable.length > 0 ? writing : ports.length > 0 ? reading : []).map((action) => [
      action,
      reading.includes(action)
        ? spacesOf(ports)
        : action === 'dynamodb:ConditionCheckItem'
          ? spacesOf(ports.filter(([, access]) => access !== 'read'))
          : writable,
    ]),
  );
}

function onItems({ name }: FunctionPlan): Statement[] {
  return statementsFor(app, name).filter(({ Action }) =>
    [Action].flat().some((action) => writing.includes(action)),
  );
}

function leadingKeys(condition: Statement['Condition']): unknown[] {
  return [condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']].flat().sort();
}

for (const plan of functions) {
  test(`The function of ${plan.name} may do what its ports need and nothing else`, () => {
    expect([...new Set(allowedActions(statementsFor(app, plan.name)))]).toEqual(expectedActions(plan));
  });

  test(`The function of ${plan.name} names every resource, and has no wildcard but for the connections of its own API, the objects of its port and the batches it failed on`, () => {
    for (const { Effect, Action, Resource } of statementsFor(app, plan.name)) {
      expect(Effect).toBe('Allow');
      expect([Action].flat().join()).not.toContain('*');
      const resources = JSON.stringify(Resource);
      expect(resources).not.toBe('"*"');
      expect(
        resources.replaceAll(/\/(@connections|org|files|documents|exports|aws\/lambda)\/\*(?=")/g, ''),
      ).not.toContain('*');
    }
  });

  test(`The function of ${plan.name} reaches exactly the partitions that its ports name, and nothing with a request that names none`, () => {
    for (const { Condition } of onItems(plan)) {
      expect(Condition).toEqual({
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.any(Array) },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      });
    }
    const reached = Object.fromEntries(
      onItems(plan).flatMap(({ Action, Condition }) =>
        [Action].flat().map((action) => [action, leadingKeys(Condition)]),
      ),
    );
    expect(reached).toEqual(expectedKeys(plan));
  });

  test(`The function of ${plan.name} may do each action on items by a single statement: a transaction over two key spaces needs one for all its keys`, () => {
    const actions = onItems(plan).flatMap(({ Action }) => Action);
    expect(actions.sort()).toEqual([...new Set(actions)]);
  });
}

test('Functions reach objects in the bucket for them, and in no other', () => {
  const bucket = app.ofType('AWS::S3::Bucket').find(({ Properties }) => Properties.CorsConfiguration);
  const reached = functions
    .flatMap(({ name }) => statementsFor(app, name))
    .flatMap(({ Resource }) => [Resource].flat().map((one) => JSON.stringify(one)))
    .filter((text) => /\/(org|files|documents|exports)\/\*"/.test(text));
  expect(reached.length).toBeGreaterThan(10);
  expect(reached.filter((text) => !text.includes(`${bucket?.id}Arn`))).toEqual([]);
});

test('No two functions share a role', () => {
  const roles = app
    .ofType('AWS::Lambda::Function')
    .map(({ template, Properties }) => template.file + JSON.stringify(Properties.Role));
  expect(new Set(roles).size).toBe(functions.length);
});

test('Functions reach the secret whose ports they have, and no other', () => {
  const needed: Record<string, string> = {
    secrets: 'SealingSecret',
    signingSecret: 'SigningSecret',
    sms: 'SmsProviderSecret',
  };
  for (const plan of functions) {
    const ports = portsOf(plan);
    const allowedSecrets = ports.flatMap(([name, access]) =>
      name === 'tokens' && access === 'sign' ? 'SigningSecret' : (needed[name] ?? []),
    );
    const resources = statementsFor(app, plan.name).map(({ Resource }) => JSON.stringify(Resource));
    const reached = Object.values(needed).filter((secret) => resources.some((text) => text.includes(secret)));
    expect(reached.toSorted(), plan.name).toEqual([...new Set(allowedSecrets)].sort());
  }
});
