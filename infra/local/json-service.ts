import { createServer } from 'node:http';
import type { Credentials } from './environment.ts';
import { readAdmittedBody } from './guard.ts';
import { type LocalServer, startServer } from './listening.ts';

/** An error that a service of AWS responds with, as status 400 and under the name that its clients know. */
export class ServiceError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

interface JsonService {
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  readonly credentials: Credentials;
  /** The body of the response to a request for an operation. @throws `ServiceError` for a request that it refuses. */
  perform(target: unknown, body: Buffer): object | Promise<object>;
}

/**
 * A stand-in for a service of AWS with the JSON protocol, on the loopback interface. It serves whoever has these credentials and is not a
 * web page. Every error is `{__type, message}`: 400 for what the service refuses, 500 for anything else.
 */
export function startJsonService({ contentType, credentials, perform }: JsonService): Promise<LocalServer> {
  const server = createServer(async (request, response) => {
    const body = await readAdmittedBody(request, response, credentials);
    if (body === undefined) {
      return;
    }
    const { status, result } = await outcomeOf(() => perform(request.headers['x-amz-target'], body));
    response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(result));
  });
  return startServer(server, 0);
}

async function outcomeOf(
  perform: () => object | Promise<object>,
): Promise<{ status: number; result: object }> {
  try {
    return { status: 200, result: await perform() };
  } catch (error) {
    return error instanceof ServiceError
      ? { status: 400, result: { __type: error.name, message: error.message } }
      : { status: 500, result: { __type: 'InternalFailure', message: String(error) } };
  }
}
