import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import type { Json } from '../harness/json.ts';
import { allSettings, withAllSettings } from './all-settings.ts';
import { httpApiIn } from './http-routes.ts';
import { predecessorsIn } from './predecessors.ts';
import { behind, type Synthesized, synthesized, type Template } from './synthesized.ts';

const { restoredTable: stream, certificate, corsOrigins } = allSettings;
const told = await withAllSettings();
const untold = await synthesized();

const only = (app: Synthesized, type: string) => {
  const [first, ...others] = app.ofType(type);
  expect(others).toEqual([]);
  return first?.Properties;
};

/** The values of the outputs, by the names that they have in the code. */
const outputs = (app: Synthesized) =>
  Object.assign(
    {},
    ...app.templates.map(({ outputs }) =>
      Object.fromEntries(Object.entries(outputs).map(([name, { Value }]) => [name, Value])),
    ),
  );

/** What is deleted and deployed again: every template but that of the stack that remains. */
const stateless = (app: Synthesized) =>
  app.templates.filter(({ resources }) =>
    Object.values(resources).every(({ Type }) => Type !== 'AWS::DynamoDB::Table'),
  );

/** What these templates take of the table in the stack that remains. */
const takenOfTable = (app: Synthesized) =>
  stateless(app).flatMap(
    ({ text }) => text.match(/"(Fn::ImportValue|OutputName)":\s*"[^"]*Table[^"]*"/g) ?? [],
  );

test('A deployment on a restored table uses it everywhere, and its own nowhere', () => {
  const functions = told.ofType('AWS::Lambda::Function');
  const names = functions.flatMap(({ Properties }) => Properties.Environment?.Variables.TABLE_NAME ?? []);
  expect(new Set(names)).toEqual(new Set(['restored']));

  const mappings = told
    .ofType('AWS::Lambda::EventSourceMapping')
    .map(({ Properties }) => Properties.EventSourceArn)
    .filter((arn) => JSON.stringify(arn).includes('stream'));
  expect(mappings).toEqual([stream, stream]);

  expect(outputs(told).TableName).toBe('restored');
  expect(takenOfTable(untold)).not.toEqual([]);
  expect(takenOfTable(told)).toEqual([]);
});

test('A function has the same rights to a restored table as to the table of the stage, and then none to that one', () => {
  const tables = told
    .ofType('AWS::IAM::Role')
    .flatMap(({ Properties }) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith('dynamodb:')))
    .flatMap(({ Resource }) => [Resource].flat());
  expect(tables.length).toBeGreaterThan(2);
  expect(new Set(tables)).toEqual(new Set([stream, stream.split('/stream/')[0]]));
});

test('Nothing imports the stream of the table, so that it may become another one', () => {
  const taken = takenOfTable(untold).filter((one) => one.includes('StreamArn'));
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.filter((one) => one.startsWith('"Fn::ImportValue'))).toEqual([]);
});

test('The table of the stage stays as it is while a restored one takes its place', () => {
  const { WarmThroughput: _, OnDemandThroughput: __, Tags: ___, ...own } = only(told, 'AWS::DynamoDB::Table');
  const { Tags: ____, ...before } = only(untold, 'AWS::DynamoDB::Table');
  expect(own).toEqual(before);
});

test('The domains are in the stack that remains, the APIs are served under them, and clients are told of them', () => {
  const domains = told.ofType('AWS::ApiGatewayV2::DomainName');
  expect(domains.map(({ Properties }) => Properties.DomainName).sort()).toEqual([
    'api.example.com',
    'live.example.com',
  ]);
  for (const { template, Properties } of domains) {
    expect(stateless(told)).not.toContain(template);
    expect(Properties.DomainNameConfigurations).toEqual([
      { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
    ]);
  }
  // An account may create one in half a minute.
  const before = domains.map(({ id, template }) => predecessorsIn(template).get(id)?.size);
  expect(before.sort()).toEqual([0, 1]);
  const mappings = told.ofType('AWS::ApiGatewayV2::ApiMapping');
  expect(mappings.map(({ Properties }) => Properties.DomainName).sort()).toEqual([
    'api.example.com',
    'live.example.com',
  ]);
  expect(mappings.every(({ template }) => stateless(told).includes(template))).toBe(true);
  expect(outputs(told)).toMatchObject({
    HttpUrl: 'https://api.example.com',
    SocketUrl: 'wss://live.example.com',
    HttpDomainTarget: expect.anything(),
    SocketDomainTarget: expect.anything(),
  });
});

test('The table is created after the domains, too: one that cannot be had leaves no protected table behind', () => {
  const [table] = told.ofType('AWS::DynamoDB::Table');
  const { resources } = table?.template ?? { resources: {} };
  const others = Object.keys(resources).filter((id) => id !== table?.id && id !== 'CDKMetadata');
  expect(others).toEqual(expect.arrayContaining(['HttpDomain', 'SocketDomain']));
  expect([...(predecessorsIn({ resources }).get(table?.id ?? '') ?? [])].sort()).toEqual(others.sort());
});

test('A deployment with a domain also says where its HTTP API is before there is a DNS record, and its id', () => {
  const { id } = httpApiIn(told);
  expect(outputs(told).HttpApiId).toEqual({ Ref: id });
  expect(JSON.stringify(outputs(told).HttpApiUrl)).toMatch(
    new RegExp(`"https://",\\{"Ref":"${id}"\\},"\\.execute-api\\.`),
  );
});

test('Only the origins that are stated may call the API and use its files', () => {
  expect(httpApiIn(told).Properties.Body['x-amazon-apigateway-cors'].allowOrigins).toEqual(corsOrigins);
  const bucket = told.ofType('AWS::S3::Bucket').find(({ Properties }) => Properties.CorsConfiguration);
  expect(bucket?.Properties.CorsConfiguration.CorsRules[0].AllowedOrigins).toEqual(corsOrigins);
});

test('Alarms and the budget reach the address that is stated', () => {
  expect(only(told, 'AWS::SNS::Subscription')).toMatchObject({
    Protocol: 'email',
    Endpoint: 'oncall@example.com',
  });
  const { Budget, NotificationsWithSubscribers } = only(told, 'AWS::Budgets::Budget');
  expect(Budget).toEqual({
    BudgetType: 'COST',
    TimeUnit: 'MONTHLY',
    BudgetLimit: { Amount: 200, Unit: 'USD' },
  });
  expect(NotificationsWithSubscribers).toHaveLength(2);
  for (const { Subscribers } of NotificationsWithSubscribers) {
    expect(Subscribers).toMatchObject([{ SubscriptionType: 'SNS' }]);
  }
  expect(JSON.stringify(only(told, 'AWS::SNS::TopicPolicy'))).toContain('budgets.amazonaws.com');
});

test('The dashboard shows the table, both APIs, every reader of the stream and every queue', () => {
  const body = JSON.stringify(only(told, 'AWS::CloudWatch::Dashboard')?.DashboardBody);
  for (const metric of [
    'Count',
    '5xx',
    'Latency',
    'ConsumedWriteCapacityUnits',
    'WriteThrottleEvents',
    'Throttles',
    'IteratorAge',
    'ApproximateNumberOfMessagesVisible',
    'ConnectCount',
  ]) {
    expect(body).toContain(`\\"${metric}\\"`);
  }
  expect(body.match(/\\"IteratorAge\\"/g)).toHaveLength(2);
});

test('The dashboard shows the state of every alarm', () => {
  const [dashboard] = told.ofType('AWS::CloudWatch::Dashboard');
  const parts: Json[] = dashboard?.Properties.DashboardBody['Fn::Join'][1];
  const shown = parts
    .flatMap((part) => (dashboard === undefined ? [] : (behind(told, dashboard.template, part) ?? [])))
    .filter(({ id, template }) => template.resources[id]?.Type === 'AWS::CloudWatch::Alarm');
  const locations = (some: readonly { id: string; template: Template }[]) =>
    some.map(({ id, template }) => `${template.file} ${id}`).sort();
  expect(locations(shown)).toEqual(locations(told.ofType('AWS::CloudWatch::Alarm')));
});

test('The table gets the throughput and the maxima that are stated', () => {
  expect(only(told, 'AWS::DynamoDB::Table')).toMatchObject({
    WarmThroughput: { ReadUnitsPerSecond: 20_000, WriteUnitsPerSecond: 8_000 },
    OnDemandThroughput: { MaxReadRequestUnits: 40_000, MaxWriteRequestUnits: 10_000 },
  });
});

test('The keys are rotated and revoked as stated', () => {
  expect(only(told, 'Custom::MakeSigningKeys')).toMatchObject({ Generation: '3', TrustedFrom: '2' });
});

test('A deployment that states nothing has none of this', () => {
  for (const type of [
    'AWS::ApiGatewayV2::DomainName',
    'AWS::ApiGatewayV2::ApiMapping',
    'AWS::Budgets::Budget',
    'AWS::CloudWatch::Dashboard',
    'AWS::SNS::Subscription',
  ]) {
    expect(untold.ofType(type)).toEqual([]);
  }
  const table = only(untold, 'AWS::DynamoDB::Table');
  expect(table).not.toHaveProperty('WarmThroughput');
  expect(table).not.toHaveProperty('OnDemandThroughput');
});

test('Every output that the instructions name is one of a deployment', async () => {
  const text = await readFile(join(projectRoot, 'infra/README.md'), 'utf8');
  const named = [...text.matchAll(/\boutputs?\s+`?([A-Z]\w+)(?:`?\s+and\s+`?([A-Z]\w+))?/g)].flatMap(
    ([, ...names]) => names.filter((name) => name !== undefined),
  );
  expect(named).toContain('HttpDomainTarget');
  expect(named).toContain('SocketDomainTarget');
  expect(Object.keys(outputs(told))).toEqual(expect.arrayContaining(named));
});

test('Every deployment says what to ask of a new account', () => {
  expect(JSON.stringify(outputs(untold).ConcurrencyQuota)).toContain('L-B99A9384');
});
