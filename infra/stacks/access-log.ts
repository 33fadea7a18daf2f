import type { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * The access log of a stage: one JSON line for each request, with the given names for `$context` variables. Its name begins with
 * `/aws/vendedlogs`, because the delivering service then needs no space in the account's log policy.
 */
export function accessLog(
  scope: Construct,
  id: string,
  variables: Record<string, string>,
): CfnStage.AccessLogSettingsProperty {
  const group = new LogGroup(scope, id, {
    logGroupName: `/aws/vendedlogs/${Stack.of(scope).stackName}/${id}`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const line = Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, `$context.${variable}`]),
  );
  // The gateway requires the ARN of the group without the `:*` at its end.
  const destinationArn = Stack.of(scope).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: group.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return { destinationArn, format: JSON.stringify(line) };
}
