/** Dollars in us-east-1, without the free tier. Source: the pricing pages of each service. */
export const prices = {
  million: {
    readUnits: 0.125,
    writeUnits: 0.625,
    httpRequests: 1,
    socketMessages: 1,
    socketMinutes: 0.25,
    functionRequests: 0.2,
    /** Without a message. One with a group, as all of ours have, makes it 0.5: the queues are fair. */
    queueRequests: 0.4,
    /** A byte a call, for a million calls. */
    logBytes: 0.5 / 1_000,
  },
  /** Of an arm64 function, for each GB and second. */
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

/** Megabytes of memory with which a function has a whole processor. Source: AWS Lambda developer guide, "Configure memory". */
const memoryOfProcessor = 1_769;

/** The share of a processor that a function with so many megabytes has. */
export const processorOf = (memory: number): number => Math.min(1, memory / memoryOfProcessor);

/** A function's time on AWS that no machine here can measure: the table's answer over the network, in milliseconds. */
export const tableAnswer = 4;

/**
 * Dollars for a million runs of a function with so many megabytes, without its requests: it works for some milliseconds of processor
 * time, and waits for the table's answers.
 */
export function functionTime(cpu: number, roundTrips: number, memory: number): number {
  const milliseconds = cpu / processorOf(memory) + roundTrips * tableAnswer;
  return (memory / 1_024) * milliseconds * prices.functionSecond * 1_000;
}
