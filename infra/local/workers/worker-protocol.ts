/** A function that a worker is about to load. */
export interface FunctionToLoad {
  readonly name: string;
  /** The URL of the module that exports the handler. */
  readonly module: string;
  /** The name of the exported handler. */
  readonly exported: string;
  readonly environment: Record<string, string>;
}

/** One event for a worker. */
export interface Invocation {
  /** The name of a function that the worker has loaded. */
  readonly name: string;
  /** As JSON. */
  readonly event: string;
  /** The part of the handler's `context` that does not change during the invocation. */
  readonly context: { awsRequestId: string; functionName: string };
  /** Milliseconds that the handler may take. */
  readonly timeLimit: number;
}

export type WorkerRequest = { load: FunctionToLoad } | { run: Invocation };

/** An error as Lambda reports it to the caller of a function. */
export interface ErrorReport {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** A worker's message: text that the function has just printed, that it has loaded, and the result as JSON or the error. */
export type WorkerMessage =
  | { printed: string }
  | { loaded: true }
  | { result: string }
  | { error: ErrorReport };
