import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations, type Registered } from '../../infra/registry.ts';
import { actionsOf, type Synthesized, statementsOf, synthesized } from './synthesized.ts';

const registered = await operations();
let app: Synthesized;
beforeAll(async () => {
  app = await synthesized();
});
afterAll(() => app.remove());

const logging = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const reading = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const writing = [
  ...reading,
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
  'sqs:SendMessage',
];

/** What a declared port lets its function do; written down a second time on purpose. */
const allowed: Record<string, readonly string[]> = {
  'table:read': reading,
  'table:write': writing,
  'organizations:read': reading,
  'organizations:write': writing,
  'identity:read': reading,
  'identity:write': writing,
  'tokens:verify': [],
  'tokens:sign': ['secretsmanager:GetSecretValue'],
  'passwords:hash': [],
  'signingSecret:rotate': ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
  'sockets:post': ['execute-api:ManageConnections'],
  'asset:openapi': [],
  'asset:documentation': [],
};

function expectedActions({ operation }: Registered): string[] {
  const ports = Object.entries(operation.uses).map(([name, grade]) => `${name}:${grade}`);
  const granted = ports.flatMap((port) => allowed[port] ?? [`unknown port ${port}`]);
  const further = operation.kind === 'stream' ? streaming : [];
  return [...new Set([...logging, ...granted, ...further])].sort();
}

describe.each(registered)('the function of $name', (one) => {
  it('may do what its ports need and nothing else', () => {
    expect([...new Set(actionsOf(statementsOf(app, one.name)))]).toEqual(expectedActions(one));
  });

  it('names every resource, and has no wildcard but for the connections of its own API', () => {
    for (const { Effect, Action, Resource } of statementsOf(app, one.name)) {
      expect(Effect).toBe('Allow');
      expect([Action].flat().join()).not.toContain('*');
      const resources = JSON.stringify(Resource);
      expect(resources).not.toBe('"*"');
      expect(resources.replaceAll('/@connections/*', '')).not.toContain('*');
    }
  });

  it('reaches no partition outside its key spaces, not even with a request that names none', () => {
    const { table, organizations, identity } = one.operation.uses;
    const spaces = [
      ...(table === undefined && organizations === undefined ? [] : ['ORG#*']),
      ...(identity === undefined ? [] : ['IDENTITY#*']),
    ];
    const onItems = statementsOf(app, one.name).filter(({ Action }) =>
      [Action].flat().some((action) => /^dynamodb:(?!.*(Stream|GetRecords|ShardIterator))/.test(action)),
    );
    for (const { Condition } of onItems) {
      expect(Condition?.Null).toEqual({ 'dynamodb:LeadingKeys': 'false' });
    }
    const conditions = onItems.map(
      ({ Condition }) => Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'],
    );
    expect([...new Set(conditions.flat())].sort()).toEqual(spaces.sort());
  });
});

it('No two functions share a role', () => {
  const roles = app
    .ofType('AWS::Lambda::Function')
    .map(({ template, Properties }) => template.file + JSON.stringify(Properties.Role));
  expect(new Set(roles).size).toBe(registered.length);
});
