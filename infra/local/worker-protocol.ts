/** What a function's worker is started with. */
export interface WorkerSettings {
  /** The URL of the module that exports the handler. */
  module: string;
  /** The name under which the module exports it. */
  exported: string;
}

/** What the `context` argument of a handler is made of. */
export interface InvocationContext {
  awsRequestId: string;
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  logGroupName: string;
  logStreamName: string;
  callbackWaitsForEmptyEventLoop: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
}

/** One event for a worker, as the JSON text that a function's runtime gets. */
export interface Invocation {
  event: string;
  context: InvocationContext;
}

/** An error as Lambda reports it to the caller of a function. */
export interface ErrorReport {
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** What a worker says: it has loaded the module, or it has finished the event it was given. */
export type WorkerMessage =
  | { state: 'ready' }
  | { state: 'returned'; payload: string }
  | { state: 'failed'; error: ErrorReport };
