import { createServer } from 'node:http';
import type { Credentials } from './environment.ts';
import { admittedBody } from './guard.ts';
import { type LocalServer, startServer } from './listening.ts';

/** What a service of AWS answers with 400, by the name that its clients know. */
export class ServiceError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

interface JsonService {
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  readonly credentials: Credentials;
  /** The answer to a request for an operation. @throws `ServiceError` for one that it refuses. */
  perform(target: unknown, body: Buffer): object | Promise<object>;
}

/**
 * A stand-in for a service of AWS with the JSON protocol, on the loopback interface, for whoever has these credentials and is not a page. Every
 * error is `{__type, message}`: 400 for what the service refuses, 500 for anything else.
 */
export function startJsonService({ contentType, credentials, perform }: JsonService): Promise<LocalServer> {
  const server = createServer(async (request, response) => {
    const body = await admittedBody(request, response, credentials);
    if (body === undefined) {
      return;
    }
    const { status, answer } = await answerTo(() => perform(request.headers['x-amz-target'], body));
    response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(answer));
  });
  return startServer(server, 0);
}

async function answerTo(
  perform: () => object | Promise<object>,
): Promise<{ status: number; answer: object }> {
  try {
    return { status: 200, answer: await perform() };
  } catch (error) {
    return error instanceof ServiceError
      ? { status: 400, answer: { __type: error.name, message: error.message } }
      : { status: 500, answer: { __type: 'InternalFailure', message: String(error) } };
  }
}
