import type { Construct } from 'constructs';
import {
  isNewcomerPolicy,
  type NewcomerPolicyName,
  newcomerPolicies,
} from '../shared/organizations/newcomer-policy.ts';

/** The newcomer policy in the context value `newcomerPolicy`: `approved` unless stated. @throws for an unknown one. */
export function newcomerPolicyOf({ node }: Construct): NewcomerPolicyName {
  const name: unknown = node.tryGetContext('newcomerPolicy') ?? 'approved';
  if (!isNewcomerPolicy(name)) {
    throw new Error(
      `The context value newcomerPolicy must be one of: ${Object.keys(newcomerPolicies).join(', ')}.`,
    );
  }
  return name;
}
