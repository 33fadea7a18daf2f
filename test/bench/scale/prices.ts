/** Dollars in us-east-1, without the free tier. Source: the pricing pages of each service. */
export const prices = {
  million: {
    readUnits: 0.125,
    writeUnits: 0.625,
    httpRequests: 1,
    socketMessages: 1,
    socketMinutes: 0.25,
    functionRequests: 0.2,
    /** For requests without a message. With a message that has a group, as all of ours have, it is 0.5: the queues are fair. */
    queueRequests: 0.4,
    orderedQueueRequests: 0.5,
    /** For a million calls that write one byte each. */
    logBytes: 0.5 / 1_000,
  },
  /** For each GB and second of an arm64 function. */
  functionSecond: 0.0000133334,
  month: {
    alarm: 0.1,
    secret: 0.4,
    dashboard: 3,
    key: 1,
  },
} as const;

/** The hours of a month, as AWS counts them. */
export const hoursOfMonth = 730;

/** Megabytes of memory that give a function a whole vCPU. Source: AWS Lambda developer guide, "Configure memory". */
const memoryOfProcessor = 1_769;

/** The share of a vCPU that a function with so many megabytes has. */
export const processorFor = (memory: number): number => Math.min(1, memory / memoryOfProcessor);

/** Megabytes of memory of a function that needs no more. */
export const usualMemory = 1_024;

/** Milliseconds that a function on AWS waits for a response of the table: an assumption, because it cannot be measured here. */
export const tableAnswer = 4;

/**
 * Dollars for a million runs of a function with so many megabytes, without the price of its requests. It works for `cpu` milliseconds of
 * processor time, and waits for the responses of the table.
 */
export function functionTime(cpu: number, roundTrips: number, memory: number): number {
  const milliseconds = cpu / processorFor(memory) + roundTrips * tableAnswer;
  return (memory / 1_024) * milliseconds * prices.functionSecond * 1_000;
}
