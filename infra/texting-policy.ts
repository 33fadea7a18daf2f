import type { Construct } from 'constructs';
import {
  isTextingPolicy,
  type TextingPolicyName,
  textingPolicies,
} from '../shared/messages/texting-policy.ts';

/** The texting policy in the context value `textingPolicy`: `approved` unless stated. @throws for an unknown one. */
export function textingPolicyOf({ node }: Construct): TextingPolicyName {
  const name: unknown = node.tryGetContext('textingPolicy') ?? 'approved';
  if (!isTextingPolicy(name)) {
    throw new Error(
      `The context value textingPolicy must be one of: ${Object.keys(textingPolicies).join(', ')}.`,
    );
  }
  return name;
}
