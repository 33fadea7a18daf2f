import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ClientLimits } from '../../shared/ports/aws/client-limits.ts';
import { type TableLocation, tableClient } from '../../shared/table/dynamodb-client.ts';

export interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request; one that does nothing leaves it hanging. */
export type Reply = (response: ServerResponse, request: Received) => void;

/** A server on this machine that answers what it is told to, and keeps what it was sent. */
export interface LocalDynamodb extends AsyncDisposable {
  readonly location: TableLocation;
  readonly received: Received[];
}

/** Gives the replies one after the other, the last of them for ever. */
export async function localDynamodb(...replies: Reply[]): Promise<LocalDynamodb> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const [reply] = [replies[received.length] ?? replies.at(-1)];
    const one = { headers: request.headers, body: await text(request) };
    received.push(one);
    reply?.(response, one);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: 'token' };
  return {
    received,
    location: { endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const json =
  (status: number, body: object | string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(status, {
        'content-type': 'application/x-amz-json-1.0',
        'x-amzn-requestid': 'R1',
        ...headers,
      })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** An error as DynamoDB tells it. */
export const refusal = (status: number, name: string, more: object = {}): Reply =>
  json(status, {
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: `${name}, says the table`,
    ...more,
  });

/** The product's client, and the SDK's as it comes. */
export const clients = {
  product: (limits: ClientLimits, location: TableLocation) => tableClient(limits, location),
  sdk: (limits: ClientLimits, location: TableLocation) => new DynamoDBClient({ ...limits, ...location }),
};

/** What a caller can tell by, without what differs from call to call. */
export async function outcomeOf(call: Promise<object>): Promise<object> {
  try {
    return { answer: withoutChance(await call) };
  } catch (error) {
    const { name, message, ...rest } = error as Error;
    return { name, message, type: (error as Error).constructor.name, ...withoutChance(rest) };
  }
}

function withoutChance(output: object): object {
  const { $metadata, ...rest } = output as { $metadata?: object };
  return { ...rest, $metadata: { ...$metadata, requestId: undefined, totalRetryDelay: undefined } };
}
