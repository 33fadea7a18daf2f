import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  ForbiddenException,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { type Deadline, requireTime } from '../kernel/deadline.ts';
import type { Sockets } from '../kernel/providers/sockets.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { required } from './environment.ts';

/**
 * How long a frame is tried: two times a second and a short pause. Others wait, and a connection that takes longer is not served
 * any more. A healthy one takes some milliseconds.
 */
const socketLimits: ClientLimits = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
};

export function provideSockets(
  environment: NodeJS.ProcessEnv,
  limits: ClientLimits = socketLimits,
): (invocation: { readonly deadline: Deadline }) => Sockets {
  const endpoint = required(environment, 'SOCKET_ENDPOINT');
  const client = new ApiGatewayManagementApiClient({ endpoint, ...limits });
  return (invocation) => ({
    async send(connectionId, frame, deadline) {
      requireTime(invocation.deadline);
      try {
        await client.send(
          new PostToConnectionCommand({ ConnectionId: connectionId, Data: Buffer.from(frame) }),
          { ...(deadline && { abortSignal: deadline }) },
        );
        return 'delivered';
      } catch (error) {
        return goneOr(error);
      }
    },
    async close(connectionId, deadline) {
      requireTime(invocation.deadline);
      try {
        await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }), {
          ...(deadline && { abortSignal: deadline }),
        });
        return 'closed';
      } catch (error) {
        return goneOr(error);
      }
    },
  });
}

/** `gone` for an error that says so: the gateway also forbids to use a connection that has ended. @throws any other error. */
function goneOr(error: unknown): 'gone' {
  if (error instanceof GoneException || error instanceof ForbiddenException) {
    return 'gone';
  }
  throw error;
}

/** The limit that CONNECTION_LIMIT sets. */
export function provideConnectionLimit(environment: NodeJS.ProcessEnv): () => number {
  const limit = Number(required(environment, 'CONNECTION_LIMIT'));
  return () => limit;
}

/** Where clients connect for live events: `wss://…`. */
export function provideSocketUrl(environment: NodeJS.ProcessEnv): () => string {
  const url = required(environment, 'SOCKET_URL');
  return () => url;
}
