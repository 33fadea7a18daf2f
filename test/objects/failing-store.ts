import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { onTestFinished } from 'vitest';
import { startServer } from '../../infra/local/listening.ts';
import type { TestObjects } from '../harness/objects.ts';

/** Handles one request in place of `next`, which passes it on to the real store. */
export type StoreFault = (incoming: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface FailingStore {
  /** The environment of a function whose requests pass through here. */
  readonly environment: Record<string, string>;
  /** The number of requests so far. */
  requests(): number;
}

/** A proxy for the real store: the first requests meet these faults, one each, and all others reach the store. */
export async function failingStore(
  objects: TestObjects,
  faults: readonly StoreFault[],
): Promise<FailingStore> {
  const environment = await objects.environment();
  const waiting = [...faults];
  let requests = 0;
  const server = createServer((incoming, response) => {
    requests += 1;
    const fault = waiting.shift() ?? ((_incoming, _response, next: () => void) => next());
    fault(incoming, response, () => handOn(environment.AWS_ENDPOINT_URL_S3 ?? '', incoming, response));
  });
  const { endpoint, stop } = await startServer(server, 0);
  onTestFinished(stop);
  return { environment: { ...environment, AWS_ENDPOINT_URL_S3: endpoint }, requests: () => requests };
}

/** Headers go on as they came: the signature covers the name of the host that the client knows. */
function handOn(endpoint: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming;
  const onward = request(new URL(url ?? '/', endpoint), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response).catch(() => response.destroy());
  });
  pipeline(incoming, onward).catch(() => response.destroy());
}

/** The store answers with an error. */
export function answering(status: number, code: string | undefined): StoreFault {
  return (incoming, response) => {
    incoming.resume();
    response.writeHead(status, { 'content-type': 'application/xml', 'x-amz-request-id': 'REQUEST-1' });
    response.end(
      code === undefined || incoming.method === 'HEAD'
        ? ''
        : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>It says &quot;no&quot;</Message></Error>`,
    );
  };
}

export const connectionLost: StoreFault = (incoming) => void incoming.socket.destroy();

/** Half of the object arrives, then the connection breaks. */
export const cutOff: StoreFault = (incoming, response) => {
  incoming.resume();
  response.writeHead(200, { 'content-length': '10' });
  response.write('hello', () => incoming.socket.destroy());
};

export const silent: StoreFault = (incoming) => void incoming.resume();

/** The head of an answer and half of the object arrive, then nothing. */
export const stalled: StoreFault = (incoming, response) => {
  incoming.resume();
  response.writeHead(200, { 'content-length': '10' });
  response.write('hello');
};
