import type { Operation } from '../operation.ts';
import type { Providers, Runtime } from './invocation.ts';
import { runOrKeep } from './kept-request.ts';
import { serveHttp } from './serve-http.ts';

/** The same for an operation that keeps requests: by itself, so that the bundles of all others do not contain how. */
export const serveKeepingHttp = (
  name: string,
  operation: Operation,
  providers: Providers,
  runtime?: Runtime,
) => serveHttp(name, operation, providers, runtime, runOrKeep);
