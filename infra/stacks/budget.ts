import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * A budget for the account: the topic's subscribers are told when 80 % of it is spent, and when a month is likely to exceed it. It covers
 * the whole account, because costs are separated by stage only after somebody has enabled that by hand; until then a budget for a stage
 * would count nothing. The budget and its notifications are free.
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
