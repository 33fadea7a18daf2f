import type { Payload } from './payload.ts';

/** The settings that a worker starts with. */
export interface WorkerSettings {
  /** The URL of the module that exports the handler. */
  module: string;
  /** The name of the exported handler. */
  exported: string;
  traces: SharedArrayBuffer;
  /** Whether the thread leaves processors and database to others. */
  yields: boolean;
}

/** One event for a worker. */
export interface Invocation {
  /** See `WorkerTraces`. */
  number: number;
  event: Payload;
  /** The part of the handler's `context` that does not change during the invocation. */
  context: { awsRequestId: string; functionName: string };
  /** Milliseconds that the handler may take. */
  timeLimit: number;
}

/** An error as Lambda reports it to the caller of a function. */
export interface ErrorReport {
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** A report of a worker: it has loaded its module or failed to, has finished an event, or has just printed something. */
export type WorkerReport =
  | { state: 'ready' }
  | { state: 'broken'; error: ErrorReport }
  /** `milliseconds` is how long the handler took. */
  | { state: 'returned'; result: Payload; milliseconds: number }
  | { state: 'failed'; error: ErrorReport; milliseconds: number }
  | { state: 'printing' };

/** A report with the lines that the function has printed before it. */
export type WorkerMessage = WorkerReport & { printed?: string };
