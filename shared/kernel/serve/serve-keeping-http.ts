import type { Operation } from '../operation.ts';
import type { Providers, Runtime } from './invocation.ts';
import { runOrKeep } from './kept-request.ts';
import { serveHttp } from './serve-http.ts';

/** `serveHttp` for an operation that keeps requests; in a separate file, so that other bundles do not contain the keeping. */
export const serveKeepingHttp = (
  name: string,
  operation: Operation,
  providers: Providers,
  runtime?: Runtime,
) => serveHttp(name, operation, providers, runtime, runOrKeep);
