import { afterAll, expect, test } from 'vitest';
import { usedPorts } from '../../infra/ports.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { routeKeys } from '../../infra/route-keys.ts';
import { apiBody } from '../../infra/stacks/api-body.ts';
import type { Json } from '../harness/json.ts';
import { lint } from '../openapi/lint.ts';
import { operationsIn, publishedBy } from '../openapi/published.ts';
import { httpApiIn, httpRoutesIn } from './http-routes.ts';
import { predecessorsIn } from './predecessors.ts';
import {
  behind,
  functionNamed,
  referenced,
  resourceName,
  synthesized,
  type Template,
} from './synthesized.ts';

const registered = await loadOperations();
const http = ofKind(registered, 'http');
const sockets = ofKind(registered, 'socket');
const app = await synthesized();
afterAll(() => app.remove());

const httpApi = httpApiIn(app);
const httpRoutes = httpRoutesIn(app);

for (const { name, operation } of http) {
  test(`${operation.route} leads to the function of its operation, which only the gateway may invoke, by the role of the folder`, () => {
    for (const key of routeKeys(operation)) {
      const integration = httpRoutes.get(key)?.['x-amazon-apigateway-integration'];
      const { id, template } = functionNamed(app, name);
      expect(integration).toMatchObject({ type: 'AWS_PROXY', payloadFormatVersion: '2.0' });
      expect(behind(app, httpApi.template, integration.uri)).toEqual({ id, template });
      // A function's ARN alone is not what AWS documents for an import.
      expect(JSON.stringify(integration.uri)).toMatch(/:lambda:path\/2015-03-31\/functions\/.*\/invocations/);
      const permissions = Object.values(template.resources).filter(
        ({ Type, Properties }) =>
          Type === 'AWS::Lambda::Permission' && referenced(Properties.FunctionName) === id,
      );
      expect(permissions).toEqual([]);
      const role = behind(app, httpApi.template, integration.credentials);
      expect(role?.template).toBe(template);
      const { AssumeRolePolicyDocument, Policies } = template.resources[role?.id ?? '']?.Properties ?? {};
      expect(AssumeRolePolicyDocument.Statement).toEqual([
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: 'apigateway.amazonaws.com' },
        },
      ]);
      const statements = Policies.flatMap(({ PolicyDocument }: Json) => PolicyDocument.Statement);
      expect(statements).toEqual([
        { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: expect.anything() },
      ]);
      expect([statements[0].Resource].flat()).toContainEqual({ 'Fn::GetAtt': [id, 'Arn'] });
    }
  });

  const access = operation.minimumRole === 'anyone' ? 'is open to anyone' : 'stands behind the authorizer';

  test(`${operation.route} ${access}`, () => {
    for (const key of routeKeys(operation)) {
      expect(httpRoutes.get(key)?.security).toEqual(
        operation.minimumRole === 'anyone' ? undefined : [{ bearer: [] }],
      );
    }
  });
}

test('The roles of the gateway invoke the functions behind routes and no others', () => {
  const invocable = app
    .ofType('AWS::IAM::Role')
    .filter(({ id }) => id.startsWith('GatewayRole'))
    .flatMap(({ template, Properties }) =>
      [Properties.Policies[0].PolicyDocument.Statement[0].Resource]
        .flat()
        .map((resource) => resourceName(template.resources[referenced(resource) ?? '']?.Properties)),
    );
  expect(invocable.sort()).toEqual(http.map(({ name }) => name).sort());
});

test('Each API has the routes of the operations and no others', () => {
  expect([...httpRoutes.keys()].sort()).toEqual(http.flatMap(({ operation }) => routeKeys(operation)).sort());
  const socketKeys = app.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);
  expect(socketKeys.sort()).toEqual(sockets.map(({ operation }) => operation.on).sort());
});

test('The HTTP API is a valid OpenAPI document, which the gateway imports whole or not at all', () => {
  const { Body, FailOnWarnings, ...others } = httpApi.Properties;
  expect(FailOnWarnings).toBe(true);
  // What the document says must not be said a second time.
  expect(others).toEqual({});
  expect(Body.openapi).toMatch(/^3\.0\./);
  expect(lint(Body, 'spec').problems).toEqual([]);
});

test('Two paths that differ in the names of their parameters only are refused', () => {
  const route = (key: string) => ({ key, isOpen: true, uri: 'f', roleArn: 'r' });
  const describe = (...keys: string[]) =>
    apiBody({
      title: 'API',
      routes: keys.map(route),
      authorizer: { uri: 'a', cacheSeconds: 1 },
      cors: { allowOrigins: [], allowMethods: [], allowHeaders: [], exposeHeaders: [], maxAge: 1 },
    });
  expect(() => describe('GET /a/{id}', 'PUT /a/{id}')).not.toThrow();
  expect(() => describe('GET /a/{id}', 'PUT /a/{name}')).toThrow(
    '/a/{name} and /a/{id} must name their parameters alike.',
  );
});

test('The authorizer is called once in five minutes for each bearer token, and returns an annotation', () => {
  const { bearer, ...others } = httpApi.Properties.Body.components.securitySchemes;
  expect(others).toEqual({});
  const authorizer = bearer['x-amazon-apigateway-authorizer'];
  expect(authorizer).toMatchObject({
    type: 'request',
    authorizerPayloadFormatVersion: '2.0',
    enableSimpleResponses: true,
    identitySource: '$request.header.Authorization',
    authorizerResultTtlInSeconds: 300,
  });
  const { id, template } = functionNamed(app, 'authorize');
  expect(JSON.stringify(authorizer.authorizerUri)).toContain(`{"Fn::GetAtt":["${id}","Arn"]}`);
  const [permission, ...more] = Object.values(template.resources).filter(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::Permission' && referenced(Properties.FunctionName) === id,
  );
  expect(more).toEqual([]);
  expect(permission?.Properties.Principal).toBe('apigateway.amazonaws.com');
  expect(JSON.stringify(permission?.Properties.SourceArn)).toContain(
    `{"Ref":"${httpApi.id}"},"/authorizers/*"`,
  );
});

const cors = httpApi.Properties.Body['x-amazon-apigateway-cors'];

test('A page of any origin may call every method, with any header', () => {
  const methods = http.map(({ operation }) => operation.route.split(' ')).filter(([, path]) => path);
  expect(cors).toMatchObject({
    allowOrigins: ['*'],
    allowMethods: expect.arrayContaining([...new Set(methods.map(([method]) => method))]),
    allowHeaders: ['authorization', '*'],
  });
});

test('A page of any origin may read every response header that the document describes', () => {
  const { document } = publishedBy(registered);
  const described = operationsIn(document).flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ headers }) => Object.keys(headers ?? {})),
  );
  const names = new Set(described.map((name) => name.toLowerCase()));
  expect(names.size).toBeGreaterThan(0);
  expect(cors.exposeHeaders).toEqual(expect.arrayContaining([...names, 'allow', 'apigw-requestid', 'etag']));
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

test('A route with a throttle of its own has it in the stage, which is deployed after the API with its routes', () => {
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
  expect(predecessorsIn(stage?.template as Template).get(stage?.id ?? '')).toContain(httpApi.id);
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
  expect(unlimited.filter(({ operation }) => usedPorts(operation.uses).some(({ table }) => table))).toEqual(
    [],
  );
  // Whoever could use up a throttle alone would use it up for everybody.
  const both = http.filter(({ operation: { share, throttle } }) => share && throttle);
  expect(both.map(({ name }) => name)).toEqual([]);
});

test.each(sockets)(
  'The response of $name to the frame $operation.on reaches the client, except for handshakes',
  ({ name, operation }) => {
    const [route, ...others] = app
      .ofType('AWS::ApiGatewayV2::Route')
      .filter(({ Properties }) => Properties.RouteKey === operation.on);
    expect(others).toEqual([]);
    const { id, template, Properties } = route ?? {};
    const integration = template?.resources[referenced(Properties?.Target) ?? ''];
    const target = template && behind(app, template, integration?.Properties.IntegrationUri);
    expect(target).toEqual({ id: functionNamed(app, name).id, template: functionNamed(app, name).template });
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
