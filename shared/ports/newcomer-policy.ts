import { isNewcomerPolicy, type NewcomerPolicy, newcomerPolicies } from '../organizations/newcomer-policy.ts';

/** The policy that NEWCOMER_POLICY names. */
export function provideNewcomerPolicy(environment: NodeJS.ProcessEnv): () => NewcomerPolicy {
  const name = environment.NEWCOMER_POLICY;
  if (!isNewcomerPolicy(name)) {
    throw new Error(`NEWCOMER_POLICY must be one of ${Object.keys(newcomerPolicies).join(', ')}`);
  }
  return () => newcomerPolicies[name];
}
