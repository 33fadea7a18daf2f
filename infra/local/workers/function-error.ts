import type { ErrorReport } from './worker-protocol.ts';

/** A function failed: its handler threw, it ran out of time, or its module could not be loaded. */
export class FunctionError extends Error {
  readonly errorType: string;
  readonly trace: readonly string[];

  constructor({ errorType, errorMessage, trace }: ErrorReport) {
    super(errorMessage);
    this.name = 'FunctionError';
    this.errorType = errorType;
    this.trace = trace;
  }
}

/** An error that the platform reports, not the function's code. */
export function failure(errorType: string, errorMessage: string): FunctionError {
  return new FunctionError({ errorType, errorMessage, trace: [] });
}

/** Lambda takes and returns 6 MB of JSON; a response may be a little longer because of its envelope. */
export const maxRequestBytes = 6_291_456;
export const maxResponseBytes = 6_291_556;

/** The event is too long for a function. */
export class RequestTooLarge extends Error {}

export function responseTooLarge(): FunctionError {
  return failure(
    'Function.ResponseSizeTooLarge',
    `Response payload size exceeded maximum allowed payload size (${maxResponseBytes} bytes).`,
  );
}

export function unknownFunction(name: string): Error {
  return new Error(`There is no function ${name}.`);
}
