import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib/core';

const plugin = new CloudFormationValidatePlugin();
const appConstruct = new App({ analyticsReporting: false });

/** What CloudFormation's own offline validation finds in these files that would stop a deployment. */
export function errorsIn(templatePaths: string[]): string[] {
  const stackTemplates = templatePaths.map((templatePath) => ({
    stackConstructPath: templatePath,
    templatePath,
    accountId: undefined,
    region: undefined,
  }));
  return plugin
    .validate({ templatePaths, stackTemplates, appConstruct })
    .violations.filter(({ severity }) => severity === 'error' || severity === 'fatal')
    .flatMap(({ description, violatingResources }) =>
      violatingResources.map(({ resourceLogicalId }) => `${resourceLogicalId}: ${description}`),
    );
}
