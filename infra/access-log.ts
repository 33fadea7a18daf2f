import type { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * A stage's access log: one JSON line for each request, with `$context` variables by their names in the line. It is under
 * `/aws/vendedlogs`, because the delivering service then needs no room in the account's log policy.
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
  return { destinationArn: group.logGroupArn, format: JSON.stringify(line) };
}
