import type { Operation } from '../operation.ts';
import type { Providers, Runtime } from './invocation.ts';
import { runOrKeep } from './kept-request.ts';
import { serveHttp } from './serve-http.ts';

/** The same for an operation that keeps requests; in a file of its own, so that other bundles do not contain it. */
export const serveKeepingHttp = (
  name: string,
  operation: Operation,
  providers: Providers,
  runtime?: Runtime,
) => serveHttp(name, operation, providers, runtime, runOrKeep);
