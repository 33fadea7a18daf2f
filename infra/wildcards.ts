import { type IResolvable, Names, Reference, Stack, Tokenization, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** Acknowledges the finding for each of `resources` that has a wildcard in its name. */
export function acknowledgeWildcards(scope: IConstruct, resources: readonly string[], reason: string): void {
  for (const resource of resources.filter((name) => name.includes('*'))) {
    Validations.of(scope).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${asInTemplate(scope, resource)}]`,
      reason,
    });
  }
}

/** The text as cdk-nag prints it: what only the deployment knows stands in it by its name in the scope's template. */
function asInTemplate(scope: IConstruct, text: string): string {
  return Tokenization.reverseString(text)
    .mapTokens({ mapToken: (token) => `<${nameInTemplate(scope, token)}>` })
    .join({ join: (left, right) => `${left ?? ''}${right ?? ''}` });
}

function nameInTemplate(scope: IConstruct, token: IResolvable): string {
  const stack = Stack.of(scope);
  const { Ref: name } = stack.resolve(token) as { Ref?: string };
  if (name === undefined) {
    throw new Error(`${scope.node.path}: a resource with a wildcard must be named by references only.`);
  }
  // What lies in another template comes in through a parameter.
  return name.startsWith('AWS::') || !Reference.isReference(token) || Stack.of(token.target) === stack
    ? name
    : `referenceto${Names.nodeUniqueId(token.target.node)}${token.displayName}`;
}
