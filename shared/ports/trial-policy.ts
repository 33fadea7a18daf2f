import { isTrialPolicy, type TrialPolicy, trialPolicies } from '../organizations/trial-policy.ts';

/** The policy that TRIAL_POLICY names. */
export function provideTrialPolicy(environment: NodeJS.ProcessEnv): () => TrialPolicy {
  const name = environment.TRIAL_POLICY;
  if (!isTrialPolicy(name)) {
    throw new Error(`TRIAL_POLICY must be one of ${Object.keys(trialPolicies).join(', ')}`);
  }
  return () => trialPolicies[name];
}
