import type { NumberStatus } from './phone-assignments.ts';

/** How much people and organizations that the operator does not know may do: what they do costs the operator money. */
export interface TrialPolicy {
  /** The status of a number that an ADMIN assigns. */
  readonly newNumbers: NumberStatus;
  /** Text messages that an organization may send on one day, in UTC. */
  readonly dailyLimit: number;
  /** Registrations without a bearer token from one address within 5 minutes; null for any number. */
  readonly registrationsPerAddress: number | null;
  /** Whether one caller, known or not, may only take the `share` of an operation. */
  readonly shares: boolean;
  /** Emails that people can have sent to others; null for any number. */
  readonly mail: MailLimits | null;
  /** The most that an organization may store until a SUPERADMIN approves it; null for as much as an approved one. */
  readonly storage: StorageLimits | null;
}

/** How much mail people can have sent to addresses of others. */
export interface MailLimits {
  /** Invitations of an organization within a day, until a SUPERADMIN sets another number for it. */
  readonly invitationsPerDay: number;
  /** Invitations to one address within an hour: all organizations together, but one with a limit set by a SUPERADMIN counts separately. */
  readonly invitationsPerRecipient: number;
  /** Forgotten passwords reported from one address within 5 minutes. */
  readonly resetsPerAddress: number;
}

/** How much an organization that nobody has approved may store. */
export interface StorageLimits {
  /** Gigabytes of files that it may upload in all, whether or not they are attached; as many may be attached, counting each copy. */
  readonly gigabytes: number;
  /** How many records it may add on one day: in UTC, or, if they are limited by share, at once and then within each day. */
  readonly aDay: Readonly<Record<CountedRecord | SharedRecord, number>>;
}

/** Counted one by one. */
export type CountedRecord = 'users' | 'workflows';

/** Limited by share: there are too many of them for a counter. */
export type SharedRecord = 'contacts' | 'notes';

/** The policies that a deployment can choose from. */
export const trialPolicies = {
  /** For a service that anybody can reach. */
  approved: {
    newNumbers: 'pending',
    dailyLimit: 500,
    registrationsPerAddress: 20,
    shares: true,
    mail: { invitationsPerDay: 10, invitationsPerRecipient: 5, resetsPerAddress: 20 },
    storage: { gigabytes: 1, aDay: { users: 100, workflows: 100, contacts: 10_000, notes: 10_000 } },
  },
  /** For a developer's machine or a sandbox. */
  open: {
    newNumbers: 'active',
    dailyLimit: 100_000,
    registrationsPerAddress: null,
    shares: false,
    mail: null,
    storage: null,
  },
} as const satisfies Record<string, TrialPolicy>;

export type TrialPolicyName = keyof typeof trialPolicies;

export function isTrialPolicy(name: unknown): name is TrialPolicyName {
  return typeof name === 'string' && Object.hasOwn(trialPolicies, name);
}
