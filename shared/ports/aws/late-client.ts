import { credentialsIn, required } from '../environment.ts';
import type { ClientLimits } from './client-limits.ts';

/** Loads a client of the SDK once, when it is first used: with its code in the bundle, every start of a function would be longer. */
export function lateClient<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loaded: Promise<Loaded> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** The configuration of every client: an endpoint is only set on a developer's machine. @throws when something is missing. */
export function clientConfiguration(
  environment: NodeJS.ProcessEnv,
  endpoint: string | undefined,
  limits: ClientLimits,
) {
  return {
    region: required(environment, 'AWS_REGION'),
    credentials: credentialsIn(environment),
    ...(endpoint !== undefined && { endpoint }),
    ...limits,
  };
}
