import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, test, vi } from 'vitest';
import { AwsHttp } from '../../shared/table/aws-http.ts';
import { TableProtocol } from '../../shared/table/dynamodb-protocol.ts';
import { TableSigner } from '../../shared/table/dynamodb-signer.ts';
import { unhurried } from '../harness/eventually.ts';
import { clients, json, localDynamodb } from './local-dynamodb.ts';

const namesOf = ({ middlewareStack }: DynamoDBClient) =>
  middlewareStack.identify().map((middleware) => middleware.split(' ')[0]);

/** All methods of a class and of those that it extends. */
function methodsOf({ prototype }: { prototype: object }): string[] {
  const all = new Set<string>();
  for (let one = prototype; one !== Object.prototype; one = Object.getPrototypeOf(one) as object) {
    Object.getOwnPropertyNames(one).forEach((name) => void all.add(name));
  }
  return [...all].sort();
}

test('What the client of the table stands on in the SDK is a client with these steps around a call', () => {
  expect(namesOf(new DynamoDBClient({}))).toEqual([
    'loggerMiddleware',
    'serializerMiddleware',
    'contentLengthMiddleware',
    'getUserAgentMiddleware',
    'hostHeaderMiddleware',
    'recursionDetectionMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
  expect(namesOf(clients.product(unhurried, {}))).toEqual([
    'serializerMiddleware',
    'hostHeaderMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
});

test('What the client of the table stands on in the SDK is a protocol with these methods, two of which it does its own way', () => {
  expect(methodsOf(AwsJson1_0Protocol)).toEqual([
    'constructor',
    'deserializeEventStream',
    'deserializeHttpMessage',
    'deserializeMetadata',
    'deserializeResponse',
    'getDefaultContentType',
    'getEventStreamMarshaller',
    'getJsonRpcVersion',
    'getPayloadCodec',
    'getRequestType',
    'getResponseType',
    'getShapeId',
    'handleError',
    'isErrorResponse',
    'loadEventStreamCapability',
    'resolveError',
    'resolveEventStreamMarshaller',
    'serializeEventStream',
    'serializeRequest',
    'setHostPrefix',
    'setSerdeContext',
    'updateServiceEndpoint',
  ]);
  expect(methodsOf(TableProtocol)).toEqual(methodsOf(AwsJson1_0Protocol));
  const { config } = new DynamoDBClient({});
  expect(Object.getPrototypeOf(config.protocol)).toBe(AwsJson1_0Protocol.prototype);
});

test('What the client of the table stands on in the SDK is a handler of requests with these methods', () => {
  expect(methodsOf(NodeHttpHandler)).toEqual([
    'constructor',
    'destroy',
    'handle',
    'httpHandlerConfigs',
    'resolveDefaultConfig',
    'updateHttpClientConfig',
  ]);
  expect(methodsOf(NodeHttpHandler)).toEqual(expect.arrayContaining(methodsOf(AwsHttp)));
});

test('What the client of the table stands on in the SDK uses all that it is given, and puts the steps of a call together once for each kind of command', async () => {
  await using server = await localDynamodb(json(200, {}));
  const used = [
    vi.spyOn(TableSigner.prototype, 'sign'),
    vi.spyOn(AwsHttp.prototype, 'handle'),
    vi.spyOn(TableProtocol.prototype, 'serializeRequest'),
    vi.spyOn(TableProtocol.prototype, 'deserializeResponse'),
  ];
  const prepared = vi.spyOn(GetItemCommand.prototype, 'resolveMiddleware');
  const client = clients.product(unhurried, server.location);
  for (const sk of ['1', '2', '3']) {
    await client.send(new GetItemCommand({ TableName: 't', Key: { sk: { S: sk } } }));
  }
  for (const spy of used) {
    expect(spy).toHaveBeenCalledTimes(3);
    spy.mockRestore();
  }
  expect(prepared).toHaveBeenCalledTimes(1);
  prepared.mockRestore();
  expect(server.received.map(({ body }) => JSON.parse(body).Key.sk.S)).toEqual(['1', '2', '3']);
  client.destroy();
});

test('What the client of the table stands on in the SDK keeps calls apart that are under way at once', async () => {
  await using server = await localDynamodb((response, { body }) =>
    json(200, { Item: JSON.parse(body).Key })(response, { headers: {}, body }),
  );
  const client = clients.product(unhurried, server.location);
  const keys = Array.from({ length: 100 }, (_, index) => ({ sk: { S: String(index) } }));
  const answers = await Promise.all(
    keys.map((Key) => client.send(new GetItemCommand({ TableName: 't', Key }))),
  );
  expect(answers.map(({ Item }) => Item)).toEqual(keys);
  client.destroy();
});

test('What the client of the table stands on in the SDK reads credentials and region where the SDK does', async () => {
  await using server = await localDynamodb(json(200, {}));
  const { endpoint = '' } = server.location;
  const provide = async () => ({ accessKeyId: 'PROVIDED', secretAccessKey: 'x' });
  const client = clients.product(unhurried, { endpoint, region: 'eu-west-3', credentials: provide });
  const read = new GetItemCommand({ TableName: 't', Key: {} });
  await client.send(read);
  expect(server.received[0]?.headers.authorization).toMatch(
    /Credential=PROVIDED\/\d{8}\/eu-west-3\/dynamodb\//,
  );
  client.destroy();
});
