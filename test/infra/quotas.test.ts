import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { loadAssembly } from '../../infra/local/template/assembly.ts';
import { Resources } from '../../infra/local/template/resources.ts';
import type { Json } from '../harness/json.ts';
import { generatedOperations } from './generated-operations.ts';
import { httpRoutesIn } from './http-routes.ts';
import { type QuotaName, usableShare } from './quotas.ts';
import { functionNamed, mappingNamed, resynthesized, synthesized } from './synthesized.ts';

const app = await synthesized();
/** With every reference replaced by a name as long as real ones. */
const resources = new Resources(await loadAssembly(app.outdir));
for (const customResource of resources.customResources()) {
  resources.responded(customResource, {
    physicalId: 'made',
    data: { PublicKeys: 'k'.repeat(1_500), Fingerprint: 'f'.repeat(43) },
  });
}
const resolved = (type: string) =>
  resources.ofType(type).map((resource) => ({
    id: `${resource.stack.name}/${resource.logicalId}`,
    ...(resources.properties(resource) as Json),
  }));

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Expects that each of these measures keeps within a quota, and that there are some. */
function expectWithin(quota: QuotaName, measured: readonly (readonly [what: string, value: number])[]): void {
  expect(measured.length).toBeGreaterThan(0);
  expect(measured.filter(([, value]) => value > usableShare(quota))).toEqual([]);
}

test('Every template keeps well within what CloudFormation takes', () => {
  const ofEach = (measure: (template: (typeof app.templates)[number]) => number) =>
    app.templates.map((template) => [template.file, measure(template)] as const);
  const sizes = ofEach((template) => Object.keys(template.resources).length);
  expectWithin('resources', sizes);
  // The parent of all capabilities has nothing that grows with the operations.
  expect(Object.fromEntries(sizes)['Switchboard.template.json']).toBeLessThanOrEqual(120);
  const sum = app.templates.reduce((all, template) => all + Object.keys(template.resources).length, 0);
  expectWithin('resourcesWithNested', [['all', sum]]);
  expectWithin(
    'parameters',
    ofEach((template) => Object.keys(template.parameters).length),
  );
  expectWithin(
    'outputs',
    ofEach((template) => Object.keys(template.outputs).length),
  );
  expectWithin(
    'templateBytes',
    ofEach((template) => Buffer.byteLength(template.text)),
  );
  expectWithin(
    'descriptionBytes',
    ofEach((template) => bytes(JSON.parse(template.text).Description ?? '')),
  );
});

test('The APIs keep well within their quotas of routes and integrations', () => {
  const httpRoutes = httpRoutesIn(app).size;
  expectWithin('httpRoutes', [['HTTP', httpRoutes]]);
  // Each route has an integration of its own.
  expectWithin('httpIntegrations', [['HTTP', httpRoutes]]);
  expectWithin('socketRoutes', [['WebSocket', app.ofType('AWS::ApiGatewayV2::Route').length]]);
  expectWithin('socketIntegrations', [['WebSocket', app.ofType('AWS::ApiGatewayV2::Integration').length]]);
});

test('All resources of API Gateway that can be deployed at once keep within its quota of management calls', () => {
  const ofApis = app.templates
    .flatMap((template) => Object.values(template.resources))
    .filter(({ Type }) => Type.startsWith('AWS::ApiGatewayV2::'));
  // A route waits for its integration, and so on: only those of one type are deployed side by side.
  const atOnce = Map.groupBy(ofApis, ({ Type }) => Type);
  const callsOfEach = 3;
  expectWithin(
    'managementCalls',
    [...atOnce].map(([type, some]) => [type, some.length * callsOfEach]),
  );
});

test('Roles and their policies keep well within what IAM takes', () => {
  const roles = resolved('AWS::IAM::Role');
  expectWithin('roles', [['all', roles.length]]);
  expectWithin(
    'inlinePolicies',
    roles.map(({ id, Policies = [] }) => [
      id,
      Policies.reduce((sum: number, policy: Json) => sum + bytes(policy.PolicyDocument), 0),
    ]),
  );
  expectWithin(
    'managedPolicies',
    roles.map(({ id, ManagedPolicyArns = [] }) => [id, ManagedPolicyArns.length]),
  );
  expectWithin(
    'trustPolicy',
    roles.map(({ id, AssumeRolePolicyDocument }) => [id, bytes(AssumeRolePolicyDocument)]),
  );
  // None is there today; each would count for every role that it is attached to.
  expect(app.ofType('AWS::IAM::ManagedPolicy')).toEqual([]);
});

test('Functions and what feeds them keep well within what Lambda takes', () => {
  const functions = resolved('AWS::Lambda::Function');
  expectWithin(
    'environmentBytes',
    functions.map(({ id, Environment }) => [id, bytes(Environment?.Variables ?? {})]),
  );
  const permissions = Map.groupBy(resolved('AWS::Lambda::Permission'), ({ FunctionName }) => FunctionName);
  expectWithin(
    'invokePermissionsBytes',
    [...permissions].map(([name, some]) => [String(name), bytes(some)]),
  );
  const mappings = resolved('AWS::Lambda::EventSourceMapping');
  const filtersOf = ({ FilterCriteria }: Json) => FilterCriteria?.Filters ?? [];
  expectWithin(
    'filters',
    mappings.map((mapping) => [mapping.id, filtersOf(mapping).length]),
  );
  expectWithin(
    'filterCharacters',
    mappings.flatMap((mapping) =>
      filtersOf(mapping).map(({ Pattern }: Json) => [mapping.id, Pattern.length]),
    ),
  );
  const ofStreams = Map.groupBy(
    mappings.filter(({ EventSourceArn }) => EventSourceArn.includes('/stream/')),
    ({ EventSourceArn }) => EventSourceArn,
  );
  expectWithin(
    'streamReaders',
    [...ofStreams].map(([stream, readers]) => [String(stream), readers.length]),
  );
});

test('Rules keep within what EventBridge takes', () => {
  expectWithin(
    'ruleTargets',
    resolved('AWS::Events::Rule').map(({ id, Targets }) => [id, Targets.length]),
  );
});

test('The access log of the HTTP API has a format that it takes', () => {
  expectWithin(
    'accessLogBytes',
    resolved('AWS::ApiGatewayV2::Stage').map(({ id, AccessLogSettings }) => [
      id,
      AccessLogSettings.Format.length,
    ]),
  );
});

test('Three hundred operations, a quarter of them in one folder, stay far below the limits of a stack, and thirty that read the stream below those of its readers', async () => {
  const files: Record<string, object> = {
    'platform/authorize.ts': { kind: 'authorizer', summary: 'Authorize', uses: {} },
    'platform/make-keys.ts': { kind: 'deployment', summary: 'Make keys', uses: {} },
    'live/deliver.ts': {
      kind: 'stream',
      reader: 'live',
      summary: 'Deliver',
      uses: {},
      on: { change: 'INSERT', sortPrefix: 'EVENT#' },
    },
    'live/tidy.ts': { kind: 'schedule', summary: 'Tidy', uses: {}, on: { everyMinutes: 60 } },
    'live/connect.ts': { kind: 'socket', summary: 'Connect', uses: {}, on: '$connect' },
  };
  for (let number = 1; number <= 300; number += 1) {
    const name = `${['calls', 'contacts', 'notes', 'workflows'][number % 4]}/do-thing-${number}`;
    files[`${name}.ts`] = {
      kind: 'http',
      route: `POST /api/${name}/{id}`,
      summary: 'Do a thing',
      family: 'plain',
      minimumRole: 'SALES_REP',
      uses: {},
    };
  }
  for (let number = 1; number <= 30; number += 1) {
    files[`files/take-${number}.ts`] = {
      kind: 'stream',
      reader: 'background',
      summary: 'Take a change',
      uses: number === 1 ? { objects: 'exports' } : { organizations: number === 2 ? 'write' : 'read' },
      on: { change: number % 2 === 0 ? 'INSERT' : 'REMOVE', sortPrefix: `KIND${number}#` },
    };
  }
  const { registered, remove } = await generatedOperations(files);
  const app = await resynthesized({ operations: registered, code: Code.fromInline });
  try {
    const sizes = app.templates.map(({ resources }) => Object.keys(resources).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(usableShare('resources'));
    const bytes = app.templates.map(({ text }) => Buffer.byteLength(text));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(usableShare('templateBytes'));
    expect(httpRoutesIn(app).size).toBe(300);
    expect(app.ofType('AWS::Lambda::EventSourceMapping')).toHaveLength(usableShare('streamReaders'));
    const { Filters } = mappingNamed(app, 'background-changes').Properties.FilterCriteria;
    const patterns: string[] = Filters.map(({ Pattern }: { Pattern: string }) => Pattern);
    expect(patterns.length).toBeLessThanOrEqual(usableShare('filters'));
    expect(Math.max(...patterns.map(({ length }) => length))).toBeLessThan(usableShare('filterCharacters'));
    expect(new Set(patterns.join().match(/KIND\d+#/g)).size).toBe(30);
    // As the neediest of its operations: an export takes the most.
    expect(functionNamed(app, 'background-changes').Properties.MemorySize).toBe(1769);
  } finally {
    await app.remove();
    await remove();
  }
});
