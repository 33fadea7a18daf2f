import { type IResolvable, Names, Reference, Stack, Tokenization, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** Acknowledges the cdk-nag finding for each of `resources` with a wildcard in its name. */
export function acknowledgeWildcards(scope: IConstruct, resources: readonly string[], reason: string): void {
  for (const resource of resources.filter((name) => name.includes('*'))) {
    Validations.of(scope).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${asInTemplate(scope, resource)}]`,
      reason,
    });
  }
}

/** The text as cdk-nag prints it: values that only the deployment resolves appear as the references in the template of the scope. */
function asInTemplate(scope: IConstruct, text: string): string {
  return Tokenization.reverseString(text)
    .mapTokens({ mapToken: (token) => nameInTemplate(Stack.of(scope), token, scope.node.path) })
    .join({ join: (left, right) => `${left ?? ''}${right ?? ''}` });
}

function nameInTemplate(stack: Stack, token: IResolvable, path: string): string {
  const home = Reference.isReference(token) ? Stack.of(token.target) : stack;
  if (outermost(home) !== outermost(stack)) {
    // The export of another stack. Requesting it creates it, as the reference itself would.
    const imported = stack.resolve(home.exportValue(token)) as { 'Fn::ImportValue': string };
    return imported['Fn::ImportValue'];
  }
  const { Ref: name } = stack.resolve(token) as { Ref?: string };
  if (name === undefined) {
    throw new Error(`${path}: a resource with a wildcard must be named by references only.`);
  }
  // A resource of another template comes in through a parameter.
  return name.startsWith('AWS::') || !Reference.isReference(token) || home === stack
    ? `<${name}>`
    : `<referenceto${Names.nodeUniqueId(token.target.node)}${token.displayName}>`;
}

/** The top-level stack, which contains the nested ones. */
function outermost(stack: Stack): Stack {
  return stack.nestedStackParent === undefined ? stack : outermost(stack.nestedStackParent);
}
