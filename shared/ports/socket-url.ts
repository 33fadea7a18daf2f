import { required } from './environment.ts';

/** Where clients connect for live events: `wss://…`. */
export function provideSocketUrl(environment: NodeJS.ProcessEnv): () => string {
  const url = required(environment, 'SOCKET_URL');
  return () => url;
}
