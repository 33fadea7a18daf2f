/** What the product promises of its price, in the order of the reports. */
export const budgets = {
  /** Of 8 stages, warm: of somebody who sees all contacts, or those of one user. */
  board: { readUnits: 3, roundTrips: 1, timeRatio: 1.2 },
  /** The same of somebody who sees the contacts of several users. */
  departmentBoard: { readUnits: 20 },
  create: { writeUnits: 14, roundTrips: 1 },
  /** `firstRoundTrips`: of the first call of a process, which remembers nothing. */
  operation: { roundTrips: 2, firstRoundTrips: 3 },
  /** Write units beside those of effects, and dollars for a million steps without any. */
  workflows: { step: 8, other: 17, dollars: 8 },
  refresh: { writeUnits: 1, requests: 1 },
  search: { milliseconds: 250, unitsFor100000: 450 },
  documentation: { seconds: 2 },
  /** Between the medians for addresses with and without an account. */
  enumeration: { difference: 0.1 },
  /** Milliseconds, with the demo data, on a machine with two cores that has nothing else to do. */
  host: {
    firstStart: 10_000,
    laterStart: 3_000,
    freshStart: 6_000,
    event: 1_000,
    end: 2_000,
    edit: 1_500,
    /** Requests a second over 16 connections. */
    health: 5_000,
    /** Of the rate of all kinds of operations to that of a few. */
    kindsRatio: 0.5,
    /** Megabytes, host and database together. */
    memory: { started: 400, loaded: 600 },
    /** Of CPU, in a second. */
    idleMilliseconds: 5,
  },
  /** Milliseconds an answer may take, and milliseconds of processor time a second while nobody asks for anything. */
  soak: { answer: 500, idle: 5 },
  /** How much longer live events may take while runs of another organization start in a burst. */
  burst: { delayRatio: 2 },
  /** How much longer a board may take beside expensive requests of another organization. */
  storm: { waitRatio: 2 },
  /** Until the event of one organization, whatever the connections of others. */
  crowd: { milliseconds: 2_000 },
  /** `bytes`: of minified code that a start of a function evaluates. */
  bundle: { bytes: 390_000, importRatio: 1.3 },
} as const;

interface MoreRoundTrips {
  readonly trips: number;
  readonly why: string;
  /** Where the first call of a process needs more than that, and more than others. */
  readonly atFirst?: { readonly trips: number; readonly why: string };
}

const ofContact: MoreRoundTrips = {
  trips: 3,
  why: "the number's lock, the lock's contact, the transaction",
};

const ofReport: MoreRoundTrips = {
  trips: 3,
  why: 'whose number it is, with the id of the call; the call and its contact; the transaction',
};

/** Of a webhook that learns its organization from the number or configuration that it names. */
const byWebhook: MoreRoundTrips = {
  trips: 3,
  why: "whose number or configuration it is; the lock of the sender's number; the transaction",
};

const ofContactByWebhook: MoreRoundTrips = {
  trips: 4,
  why: "whose number or configuration it is; the lock of the sender's number; its contact; the transaction",
};

/** Requests that need more round trips than others may, and why. The README names them. */
export const moreRoundTrips: Readonly<Record<string, MoreRoundTrips>> = {
  login: {
    trips: 3,
    why: 'the account, its user, then the session, which must not open while the throttle blocks',
  },
  'change-password': {
    trips: 3,
    why: 'the user, the account by their address, then the change, which must not happen while the throttle blocks',
  },
  'delete-factor': {
    trips: 3,
    why: 'the user with the factor, the account by their address, then the deletion, which must not happen while the throttle blocks; 2 with a code',
  },
  'answer-inbound-call of a contact': ofContact,
  'start-outbound-call with a contact': ofContact,
  'record-missed-call of a contact': ofContact,
  'reset-password': {
    trips: 3,
    why: "the token with its user, that user's credentials, the transaction",
  },
  'accept-invitation': {
    trips: 3,
    why: 'the invitation, who sent it and its departments, the transaction',
  },
  'receive-call': byWebhook,
  'receive-sms': byWebhook,
  'receive-lead': byWebhook,
  'receive-sms of a contact': ofContactByWebhook,
  'receive-call of a contact': ofContactByWebhook,
  'receive-call of a contact, missed': ofContactByWebhook,
  'receive-lead of a contact': ofContactByWebhook,
  'receive-call that was answered': ofReport,
  'receive-call that ends unanswered': ofReport,
  'receive-status': {
    trips: 3,
    why: "the message by the provider's id, the message, the transaction; 2 at the address that the provider was given",
  },
  'retry-message': {
    trips: 3,
    why: 'the conversation by its contact, the message in that conversation, the transaction',
  },
  'delete-message': {
    trips: 3,
    why: 'the conversations by their contact, the message in one of them, the transaction; 4 for one on its way that was read, retries another, or follows a missed call',
  },
  'list-contacts-by-stage': {
    trips: 2,
    why: 'the counters, and what changed',
    atFirst: { trips: 4, why: 'the pipelines, then the columns between two readings of their counters' },
  },
  'discard-call': {
    trips: 3,
    why: "what is attached to the contact is read after the contact's version, so that nothing arrives unseen",
  },
  'delete-department': {
    trips: 3,
    why: 'members are looked for after the version that a new one would raise',
  },
  'delete-workflow': {
    trips: 3,
    why: 'the workflow, the transaction, and the gates of steps, each for itself, so that runs at work do not keep them from being closed',
  },
  'cancel-runs-of-contact': {
    trips: 3,
    why: 'the runs of the contact, each as it is now, and the transaction of its end',
  },
  'list-workflow-runs': {
    trips: 3,
    why: 'runs under way before those that ended, so that none is missed that ends meanwhile; then the runs with their steps; 2 with a status',
  },
  'run-workflow': {
    trips: 3,
    why: 'its triggers and who may be run; what a start depends on, its owner and the contact among that; the transaction',
  },
  'simulate-workflow': {
    trips: 12,
    why: 'follows a whole run: what each step reads for the first time, and what its transaction would check',
  },
  'read-outreach-metrics': { trips: 3, why: 'when not cached: the cache, the counters, the cache again' },
};

/** A promise and what was measured. */
export interface Verdict {
  readonly promise: string;
  readonly measured: string;
  readonly kept: boolean;
}

/** One line a verdict; the exit code is 1 when a promise is broken. */
export function conclude(verdicts: readonly Verdict[]): void {
  console.log('\nBudgets');
  for (const { promise, measured, kept } of verdicts) {
    console.log(`  ${kept ? 'kept  ' : 'BROKEN'}  ${promise}: ${measured}`);
  }
  if (verdicts.some(({ kept }) => !kept)) {
    process.exitCode = 1;
  }
}
