/** Where clients connect for live events: `wss://…`. */
export function provideSocketUrl(environment: NodeJS.ProcessEnv): () => string {
  const url = environment.SOCKET_URL;
  if (url === undefined) {
    throw new Error('SOCKET_URL is not set');
  }
  return () => url;
}
