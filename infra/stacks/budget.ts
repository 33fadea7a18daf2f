import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * A budget for the account: the topic's subscribers hear when 80 % of it are spent, and when a month is likely to exceed it. For all
 * of the account, because costs can be told apart by stage only after somebody has switched that on by hand, and until then would
 * count as none. The budget and its notifications are free.
 */
export function monthlyBudget(scope: Construct, dollars: number, topic: Topic): void {
  const { account, partition } = Stack.of(scope);
  topic.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal('budgets.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': `arn:${partition}:budgets::${account}:*` },
      },
    }),
  );
  const tell = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: {
      notificationType,
      threshold,
      thresholdType: 'PERCENTAGE',
      comparisonOperator: 'GREATER_THAN',
    },
    subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
  });
  const budget = new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollars, unit: 'USD' } },
    notificationsWithSubscribers: [tell('ACTUAL', 80), tell('FORECASTED', 100)],
  });
  // Its first notification may come at once, and needs the policy.
  budget.node.addDependency(topic);
}
