import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Deployment } from './deployment.ts';
import type { Credentials } from './environment.ts';
import { readAdmittedBody } from './guard.ts';
import { type LocalServer, startServer } from './listening.ts';
import { account, region } from './template/intrinsics.ts';
import { functionNameIn } from './template/plan.ts';
import { FunctionError } from './workers/function-error.ts';

/** An event source mapping, with what `npm run redrive` must know of it. */
export interface KnownMapping {
  /** `<stack>/<logical id>`. */
  readonly id: string;
  readonly sourceArn: string;
  readonly functionName: string;
  /** The ARN of the on-failure destination. */
  readonly destination?: string;
}

/** All mappings of a deployment. */
export function knownMappings({
  streams,
  queueMappings,
}: Pick<Deployment, 'streams' | 'queueMappings'>): KnownMapping[] {
  return [
    ...streams.map(({ id, EventSourceArn: sourceArn, FunctionName, DestinationConfig }) => ({
      id,
      sourceArn,
      functionName: functionNameIn(FunctionName),
      destination: DestinationConfig.OnFailure.Destination,
    })),
    ...queueMappings.map(({ id, queueArn, functionName }) => ({ id, sourceArn: queueArn, functionName })),
  ];
}

export interface LambdaServerOptions {
  readonly credentials: Credentials;
  mappings(): readonly KnownMapping[];
  invoke(functionName: string, event: unknown): Promise<unknown>;
}

const arnOf = (name: string) => `arn:aws:lambda:${region}:${account}:function:${name}`;

/** The UUID of a mapping on this host: the name of the mapping's folder in the bucket for failed batches. */
export const toMappingId = (id: string) => id.replaceAll('/', '-');

/**
 * A stand-in for AWS Lambda on the loopback interface, with the operations that `npm run redrive` needs. It serves whoever has these
 * credentials and is not a web page.
 */
export async function startLambdaServer(options: LambdaServerOptions): Promise<LocalServer> {
  const server = createServer((request, response) => {
    respond(request, response, options).catch((error: unknown) => {
      send(response, 500, { Message: String(error) }, { 'x-amzn-errortype': 'ServiceException' });
    });
  });
  return startServer(server, 0);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { credentials, mappings, invoke }: LambdaServerOptions,
): Promise<void> {
  const admitted = await readAdmittedBody(request, response, credentials);
  if (admitted === undefined) {
    return;
  }
  const { pathname } = new URL(request.url ?? '', 'http://lambda');
  const route = `${request.method} ${decodeURIComponent(pathname)}`;
  const [, invoked] = /^POST \/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(route) ?? [];
  const [, tagged] = /^GET \/2017-03-31\/tags\/(.+)$/.exec(route) ?? [];
  if (/^GET \/2015-03-31\/event-source-mappings\/?$/.test(route)) {
    return send(response, 200, { EventSourceMappings: mappings().map(mappingOf) });
  }
  if (tagged !== undefined) {
    const mapping = mappings().find(({ functionName }) => functionName === functionNameIn(tagged));
    const stack = mapping?.id.split('/')[0];
    return send(response, 200, {
      Tags: stack === undefined ? {} : { 'aws:cloudformation:stack-name': stack },
    });
  }
  if (invoked !== undefined) {
    try {
      return send(response, 200, await invoke(functionNameIn(invoked), JSON.parse(admitted.toString())));
    } catch (error) {
      if (!(error instanceof FunctionError)) {
        throw error;
      }
      const { errorType, message: errorMessage } = error;
      return send(response, 200, { errorType, errorMessage }, { 'x-amz-function-error': 'Unhandled' });
    }
  }
  return send(
    response,
    404,
    { Message: `The local Lambda has no ${route}.` },
    { 'x-amzn-errortype': 'ResourceNotFoundException' },
  );
}

function mappingOf({ id, sourceArn, functionName, destination }: KnownMapping): object {
  return {
    UUID: toMappingId(id),
    EventSourceArn: sourceArn,
    FunctionArn: arnOf(functionName),
    State: 'Enabled',
    ...(destination !== undefined && { DestinationConfig: { OnFailure: { Destination: destination } } }),
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body ?? null));
}
