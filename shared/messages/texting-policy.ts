import type { NumberStatus } from '../organizations/phone-assignments.ts';

/** How much an organization that nobody has looked at may do with text messages: they cost the operator of the service money. */
export interface TextingPolicy {
  /** The status of a number that an ADMIN assigns. */
  readonly newNumbers: NumberStatus;
  /** Whether messages without a number of their own leave from the standard sender of the provider account. */
  readonly standardSender: boolean;
  /** Text messages that an organization may send on one day, in UTC. */
  readonly dailyLimit: number;
}

/** The policies that a deployment can choose from. */
export const textingPolicies = {
  /** For a service that anybody can register with. */
  approved: { newNumbers: 'pending', standardSender: false, dailyLimit: 500 },
  /** For a developer's machine, a sandbox, or where nobody can register without being known. */
  open: { newNumbers: 'active', standardSender: true, dailyLimit: 100_000 },
} as const satisfies Record<string, TextingPolicy>;

export type TextingPolicyName = keyof typeof textingPolicies;

export function isTextingPolicy(name: unknown): name is TextingPolicyName {
  return typeof name === 'string' && Object.hasOwn(textingPolicies, name);
}
