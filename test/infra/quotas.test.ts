import { expect, test } from 'vitest';
import { loadAssembly } from '../../infra/local/template/assembly.ts';
import { Resources } from '../../infra/local/template/resources.ts';
import type { Json } from '../harness/json.ts';
import { maxAtOnce, predecessorsIn } from './predecessors.ts';
import { allowance, type QuotaName } from './quotas.ts';
import { referenced, synthesized } from './synthesized.ts';

const app = await synthesized();
/** With every reference replaced by a name as long as real ones. */
const resources = new Resources(await loadAssembly(app.outdir));
for (const one of resources.customResources()) {
  resources.responded(one, {
    physicalId: 'made',
    data: { PublicKeys: 'k'.repeat(1_500), Fingerprint: 'f'.repeat(43) },
  });
}
const resolved = (type: string) =>
  resources
    .ofType(type)
    .map((one) => ({ id: `${one.stack.name}/${one.logicalId}`, ...(resources.properties(one) as Json) }));

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Expects that each of these measures keeps within a quota, and that there are some. */
function expectWithin(quota: QuotaName, measured: readonly (readonly [what: string, value: number])[]): void {
  expect(measured.length).toBeGreaterThan(0);
  expect(measured.filter(([, value]) => value > allowance(quota))).toEqual([]);
}

test('Every template keeps well within what CloudFormation takes', () => {
  const ofEach = (measure: (template: (typeof app.templates)[number]) => number) =>
    app.templates.map((template) => [template.file, measure(template)] as const);
  expectWithin(
    'resources',
    ofEach((one) => Object.keys(one.resources).length),
  );
  const sum = app.templates.reduce((all, one) => all + Object.keys(one.resources).length, 0);
  expectWithin('resourcesWithNested', [['all', sum]]);
  expectWithin(
    'parameters',
    ofEach((one) => Object.keys(one.parameters).length),
  );
  expectWithin(
    'outputs',
    ofEach((one) => Object.keys(one.outputs).length),
  );
  expectWithin(
    'templateBytes',
    ofEach((one) => Buffer.byteLength(one.text)),
  );
  expectWithin(
    'descriptionBytes',
    ofEach((one) => bytes(JSON.parse(one.text).Description ?? '')),
  );
});

test.each([
  ['HTTP', 'httpRoutes', 'AWS::ApiGatewayV2::Route'],
  ['HTTP', 'httpIntegrations', 'AWS::ApiGatewayV2::Integration'],
  ['WEBSOCKET', 'socketRoutes', 'AWS::ApiGatewayV2::Route'],
  ['WEBSOCKET', 'socketIntegrations', 'AWS::ApiGatewayV2::Integration'],
] as const)('The %s API keeps well within the quota of %s', (protocol, quota, type) => {
  const [api] = app
    .ofType('AWS::ApiGatewayV2::Api')
    .filter(({ Properties }) => Properties.ProtocolType === protocol);
  const own = app.ofType(type).filter(({ Properties }) => referenced(Properties.ApiId) === api?.id);
  expect(own.length).toBeGreaterThan(0);
  expectWithin(quota, [[protocol, own.length]]);
});

test('No more resources of API Gateway are deployed at once than its quota of management calls bears', () => {
  const ofApis = app.templates.map((template) => ({
    template,
    ids: Object.entries(template.resources).flatMap(([id, { Type }]) =>
      Type.startsWith('AWS::ApiGatewayV2::') ? [id] : [],
    ),
  }));
  // Those of another template would be deployed beside these, whatever they name.
  const [{ template, ids } = { template: undefined, ids: [] }, ...others] = ofApis.filter(
    (one) => one.ids.length > 0,
  );
  expect(others).toEqual([]);
  expect(ids.length).toBeGreaterThan(200);
  expectWithin('apisAtOnce', [
    ['API Gateway', maxAtOnce(ids, predecessorsIn(template ?? { resources: {} }))],
  ]);
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
    mappings.map((one) => [one.id, filtersOf(one).length]),
  );
  expectWithin(
    'filterCharacters',
    mappings.flatMap((one) => filtersOf(one).map(({ Pattern }: Json) => [one.id, Pattern.length])),
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

test('How many resources can be under way at once follows from what they wait for', () => {
  const chained = { resources: { a: on(), b: on('a'), c: on('b'), x: on(), y: on('x'), z: on('y', 'c') } };
  expect(maxAtOnce(['a', 'b', 'c', 'x', 'y', 'z'], predecessorsIn(chained))).toBe(2);
  expect(maxAtOnce(['a', 'b', 'c'], predecessorsIn(chained))).toBe(1);
  expect(maxAtOnce(['a', 'x'], predecessorsIn(chained))).toBe(2);
  const free = { resources: { a: on(), b: on('a'), c: on('a'), d: on('a') } };
  expect(maxAtOnce(['a', 'b', 'c', 'd'], predecessorsIn(free))).toBe(3);
});

/** A resource that names others in all the ways of a template. */
function on(first?: string, second?: string) {
  return {
    Type: 'Custom::Nothing',
    Properties: {
      One: { Ref: first ?? 'AWS::Region' },
      Two: { 'Fn::Sub': `\${${second ?? 'AWS::Region'}}` },
    },
  };
}
