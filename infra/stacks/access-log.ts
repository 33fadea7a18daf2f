import type { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
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
  // Not the group's own ARN, which ends in `:*`: the gateway documents it without.
  const destinationArn = Stack.of(scope).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: group.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return { destinationArn, format: JSON.stringify(line) };
}
