import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Sockets } from '../live/sockets.ts';
import { clientLimits } from './client-limits.ts';

export function provideSockets(environment: NodeJS.ProcessEnv): () => Sockets {
  const endpoint = environment.SOCKET_ENDPOINT;
  if (endpoint === undefined) {
    throw new Error('SOCKET_ENDPOINT is not set');
  }
  const client = new ApiGatewayManagementApiClient({
    endpoint,
    ...clientLimits,
  });
  return () => ({
    async send(connectionId, frame) {
      try {
        await client.send(
          new PostToConnectionCommand({ ConnectionId: connectionId, Data: Buffer.from(frame) }),
        );
        return 'delivered';
      } catch (error) {
        if (error instanceof GoneException) {
          return 'gone';
        }
        throw error;
      }
    },
    async close(connectionId) {
      try {
        await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
      } catch (error) {
        if (!(error instanceof GoneException)) {
          throw error;
        }
      }
    },
  });
}
