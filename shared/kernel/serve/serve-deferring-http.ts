import type { Operation } from '../operation.ts';
import { runOrDefer } from './deferred-request.ts';
import type { Providers, Runtime } from './invocation.ts';
import { serveHttp } from './serve-http.ts';

/** `serveHttp` for an operation that defers requests; in a separate file, so that other bundles do not contain what defers them. */
export const serveDeferringHttp = (
  name: string,
  operation: Operation,
  providers: Providers,
  runtime?: Runtime,
) => serveHttp(name, operation, providers, runtime, runOrDefer);
