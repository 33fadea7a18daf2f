import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec';
import type { ReplacementRules } from './next-deployment.ts';

/** CloudFormation's own rules, from its published resource schemas. */
export async function replacementRules(): Promise<ReplacementRules> {
  const specification = await loadAwsServiceSpec();
  const resource = (type: string) => {
    const [found] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
    if (found === undefined && !type.startsWith('Custom::')) {
      throw new Error(`CloudFormation's schemas have no ${type}.`);
    }
    return found;
  };
  return {
    replaces: (type, property) =>
      ['yes', 'maybe'].includes(resource(type)?.properties[property]?.causesReplacement ?? 'no'),
    names: (type) => {
      const found = resource(type);
      const named = found?.primaryIdentifier ?? [];
      return named.every((name) => name in (found?.properties ?? {})) ? named : [];
    },
  };
}
