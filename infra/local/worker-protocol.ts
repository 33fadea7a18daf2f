/** The data that a worker starts with. */
export interface WorkerSettings {
  /** The URL of the module that exports the handler. */
  module: string;
  /** The name under which the module exports it. */
  exported: string;
}

/** One event for a worker, as the JSON text that a function's runtime gets. */
export interface Invocation {
  event: string;
  /** The part of the handler's `context` that is the same throughout. */
  context: { awsRequestId: string; functionName: string };
  /** Milliseconds since 1970. */
  deadline: number;
}

/** An error as Lambda reports it to the caller of a function. */
export interface ErrorReport {
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** A message of a worker: it has loaded the module, or finished an event. */
export type WorkerMessage =
  | { state: 'ready' }
  | { state: 'returned'; payload: string }
  | { state: 'failed'; error: ErrorReport };
