import { required } from './environment.ts';

/** The limit that CONNECTION_LIMIT sets. */
export function provideConnectionLimit(environment: NodeJS.ProcessEnv): () => number {
  const limit = Number(required(environment, 'CONNECTION_LIMIT'));
  return () => limit;
}
