import { isTextingPolicy, type TextingPolicy, textingPolicies } from '../messages/texting-policy.ts';

/** The policy that TEXTING_POLICY names. */
export function provideTextingPolicy(environment: NodeJS.ProcessEnv): () => TextingPolicy {
  const name = environment.TEXTING_POLICY;
  if (!isTextingPolicy(name)) {
    throw new Error(`TEXTING_POLICY must be one of ${Object.keys(textingPolicies).join(', ')}`);
  }
  return () => textingPolicies[name];
}
