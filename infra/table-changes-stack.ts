import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { NestedStack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import { streamReaders } from './function-plan.ts';
import { type Platform, pascal } from './operation-function.ts';
import type { Registered } from './registry.ts';
import { streamReader } from './stream-reader.ts';

export interface TableChangesProps {
  readonly operations: readonly Registered[];
  readonly platform: Platform;
  readonly table: Table;
  readonly alarms: Alarms;
}

/** The readers of the table's stream. Apart from the folders' stacks, because a reader runs operations of several folders. */
export class TableChangesStack extends NestedStack {
  constructor(scope: Construct, id: string, { operations, platform, table, alarms }: TableChangesProps) {
    super(scope, id, { description: "Switchboard: the readers of the table's stream" });
    for (const plan of streamReaders(operations)) {
      const reader = streamReader(this, plan, table, platform);
      alarms.watchReader(this, pascal(plan.name), reader);
    }
  }
}
