import { afterAll, expect, test } from 'vitest';
import { portsOf } from '../../infra/ports.ts';
import { ofKind, operations } from '../../infra/registry.ts';
import { routeKeys } from '../../infra/route-keys.ts';
import { operationsIn, publishedBy } from '../openapi/published.ts';
import { predecessorsIn } from './predecessors.ts';
import { behind, functionOf, referenced, synthesized, type Template } from './synthesized.ts';

const registered = await operations();
const http = ofKind(registered, 'http');
const sockets = ofKind(registered, 'socket');
const app = await synthesized();
afterAll(() => app.remove());

/** The only route of the API with this key, and the logical id of the function it leads to. */
function routeTo(api: 'HttpApi' | 'SocketApi', key: string) {
  const routes = app
    .ofType('AWS::ApiGatewayV2::Route')
    .filter(({ Properties }) => Properties.RouteKey === key && referenced(Properties.ApiId)?.includes(api));
  expect(routes).toHaveLength(1);
  const [route] = routes;
  const integration = route?.template.resources[referenced(route.Properties.Target) ?? ''];
  const target = route && behind(app, route.template, integration?.Properties.IntegrationUri);
  return { ...route, integration, target };
}

for (const { name, operation } of http) {
  test(`${operation.route} leads to the function of its operation, which only its routes may call`, () => {
    const keys = routeKeys(operation);
    for (const key of keys) {
      const { target, integration } = routeTo('HttpApi', key);
      const { id, template } = functionOf(app, name);
      expect(target).toEqual({ id, template });
      expect(integration?.Properties).toMatchObject({
        IntegrationType: 'AWS_PROXY',
        PayloadFormatVersion: '2.0',
      });
      const permissions = Object.values(template.resources).filter(
        ({ Type, Properties }) =>
          Type === 'AWS::Lambda::Permission' && referenced(Properties.FunctionName) === id,
      );
      expect(permissions).toHaveLength(keys.length);
      const path = key.replace(' ', '').replaceAll(/\{[^}]+\}/g, '*');
      const [permission, ...others] = permissions.filter(({ Properties }) =>
        JSON.stringify(Properties.SourceArn).includes(`/*/${path}"`),
      );
      expect(permission?.Properties.Principal).toBe('apigateway.amazonaws.com');
      expect(others).toEqual([]);
    }
  });

  const access = operation.minimumRole === 'anyone' ? 'is open to anyone' : 'stands behind the authorizer';

  test(`${operation.route} ${access}`, () => {
    for (const key of routeKeys(operation)) {
      const { AuthorizationType, AuthorizerId } = routeTo('HttpApi', key).Properties;
      expect(AuthorizationType).toBe(operation.minimumRole === 'anyone' ? 'NONE' : 'CUSTOM');
      expect(AuthorizerId === undefined).toBe(operation.minimumRole === 'anyone');
    }
  });
}

test('Each API has the routes of the operations and no others', () => {
  const keys = app.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);
  const expected = [
    ...http.flatMap(({ operation }) => routeKeys(operation)),
    ...sockets.map(({ operation }) => operation.on),
  ];
  expect(keys.sort()).toEqual(expected.sort());
});

test('The authorizer is called once in five minutes for each bearer token, and returns an annotation', () => {
  const [authorizer, ...others] = app.ofType('AWS::ApiGatewayV2::Authorizer');
  expect(others).toEqual([]);
  expect(authorizer?.Properties).toMatchObject({
    AuthorizerType: 'REQUEST',
    AuthorizerPayloadFormatVersion: '2.0',
    EnableSimpleResponses: true,
    IdentitySource: ['$request.header.Authorization'],
    AuthorizerResultTtlInSeconds: 300,
  });
});

function corsConfiguration() {
  const [api] = app
    .ofType('AWS::ApiGatewayV2::Api')
    .filter(({ Properties }) => Properties.ProtocolType === 'HTTP');
  return api?.Properties.CorsConfiguration;
}

test('A page of any origin may call every method, with any header', () => {
  const methods = http.map(({ operation }) => operation.route.split(' ')).filter(([, path]) => path);
  expect(corsConfiguration()).toMatchObject({
    AllowOrigins: ['*'],
    AllowMethods: expect.arrayContaining([...new Set(methods.map(([method]) => method))]),
    AllowHeaders: ['authorization', '*'],
  });
});

test('A page of any origin may read every response header that the document describes', () => {
  const { document } = publishedBy(registered);
  const described = operationsIn(document).flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ headers }) => Object.keys(headers ?? {})),
  );
  const names = new Set(described.map((name) => name.toLowerCase()));
  expect(names.size).toBeGreaterThan(0);
  expect(corsConfiguration().ExposeHeaders).toEqual(
    expect.arrayContaining([...names, 'allow', 'apigw-requestid', 'etag']),
  );
});

test('Both stages limit the rate of requests and write an access log without paths and query strings', () => {
  const stages = app.ofType('AWS::ApiGatewayV2::Stage');
  expect(stages.map(({ Properties }) => Properties.StageName).sort()).toEqual(['$default', 'live']);
  for (const { Properties } of stages) {
    expect(Properties.DefaultRouteSettings.ThrottlingRateLimit).toBeGreaterThan(0);
    expect(Properties.DefaultRouteSettings.ThrottlingBurstLimit).toBeGreaterThan(0);
    expect(JSON.parse(Properties.AccessLogSettings.Format)).toMatchObject({
      requestId: '$context.requestId',
    });
    expect(Properties.AccessLogSettings.Format).not.toMatch(/query|\bpath/i);
    // The ARN of a log group as other services want it, not as CloudWatch itself writes it.
    const {
      'Fn::Join': [, parts],
    } = Properties.AccessLogSettings.DestinationArn;
    expect(parts.join()).toContain(':log-group:');
    expect(JSON.stringify(parts)).not.toMatch(/Arn|\*/);
  }
});

test('The role with which API Gateway writes the logs of all APIs of the account is there before the stage that needs it, may do no less than any before it, and stays when the stack goes', () => {
  const [account, ...others] = app.ofType('AWS::ApiGateway::Account');
  expect(others).toEqual([]);
  const resources: Template['resources'] = account?.template.resources ?? {};
  const role = referenced(account?.Properties.CloudWatchRoleArn) ?? '';
  expect(JSON.stringify(resources[role]?.Properties.ManagedPolicyArns)).toContain(
    ':iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
  );
  for (const id of [account?.id ?? '', role]) {
    expect(resources[id]).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  }
  const [stage] = app
    .ofType('AWS::ApiGatewayV2::Stage')
    .filter(({ Properties }) => Properties.StageName === 'live');
  expect(predecessorsIn({ resources }).get(stage?.id ?? '')).toContain(account?.id);
});

test('A route with a throttle of its own has it in the stage, which is deployed after the route', () => {
  const [stage] = app
    .ofType('AWS::ApiGatewayV2::Stage')
    .filter(({ Properties }) => Properties.StageName === '$default');
  const own = http.flatMap(({ operation }) =>
    operation.throttle === undefined
      ? []
      : routeKeys(operation).map((key) => [
          key,
          { ThrottlingRateLimit: operation.throttle?.rate, ThrottlingBurstLimit: operation.throttle?.burst },
        ]),
  );
  expect(stage?.Properties.RouteSettings).toEqual(Object.fromEntries(own));
  expect(Object.keys(stage?.Properties.RouteSettings)).toEqual(
    expect.arrayContaining(['GET /api/docs', 'GET /api/contacts/{id}/separation-data']),
  );
  const before = predecessorsIn(stage?.template as Template).get(stage?.id ?? '');
  for (const key of Object.keys(stage?.Properties.RouteSettings)) {
    expect(before).toContain(routeTo('HttpApi', key).id);
  }
});

test('Only documents and exports get few requests a second, and a flood of anything leaves half of what the account may take', () => {
  const [stage] = app
    .ofType('AWS::ApiGatewayV2::Stage')
    .filter(({ Properties }) => Properties.StageName === '$default');
  const limit = (ThrottlingRateLimit: number, ThrottlingBurstLimit: number) => ({
    ThrottlingRateLimit,
    ThrottlingBurstLimit,
  });
  expect(stage?.Properties.RouteSettings).toMatchObject({
    'GET /api/docs': limit(5, 10),
    'GET /api/openapi.json': limit(5, 10),
  });
  expect(stage?.Properties.DefaultRouteSettings).toEqual(limit(5_000, 2_500));
});

test('An operation that may take longer than others has a throttle, so that it leaves half of the functions of an account to the others', () => {
  const slow = http.filter(({ operation }) => operation.timeLimit !== undefined);
  expect(slow.map(({ name }) => name)).toContain('read-separation-data');
  for (const { operation } of slow) {
    const { throttle = { rate: 5_000, burst: 2_500 }, timeLimit = 0 } = operation;
    // Source: Lambda quotas, "Concurrent executions".
    expect(throttle.burst + (throttle.rate * timeLimit) / 1_000).toBeLessThanOrEqual(1_000 / 2);
  }
});

test('Every operation that anyone may call gives each network a share, or costs next to nothing, or is a document with a throttle of its own', () => {
  const open = http.filter(({ operation }) => operation.minimumRole === 'anyone');
  const unlimited = open.filter(
    ({ operation: { share, throttle } }) => share === undefined && throttle === undefined,
  );
  expect(unlimited.map(({ operation }) => operation.route).sort()).toEqual([
    '$default',
    'GET /api/auth/verify-token',
    'GET /api/health',
  ]);
  expect(unlimited.filter(({ operation }) => portsOf(operation.uses).some(({ table }) => table))).toEqual([]);
  // Whoever could use up a throttle alone would use it up for everybody.
  const both = http.filter(({ operation: { share, throttle } }) => share && throttle);
  expect(both.map(({ name }) => name)).toEqual([]);
});

test.each(sockets)(
  'The response of $name to the frame $operation.on reaches the client, except for handshakes',
  ({ name, operation }) => {
    const { id, target, template, Properties } = routeTo('SocketApi', operation.on);
    expect(target).toEqual({ id: functionOf(app, name).id, template: functionOf(app, name).template });
    const answers = Object.values(template?.resources ?? {}).filter(
      ({ Type, Properties }) =>
        Type === 'AWS::ApiGatewayV2::RouteResponse' && referenced(Properties.RouteId) === id,
    );
    const answering = !['$connect', '$disconnect'].includes(operation.on);
    expect(answers.map(({ Properties }) => Properties.RouteResponseKey)).toEqual(
      answering ? ['$default'] : [],
    );
    expect(Properties?.RouteResponseSelectionExpression).toBe(answering ? '$default' : undefined);
  },
);
