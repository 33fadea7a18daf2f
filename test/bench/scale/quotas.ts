/** A limit of the account, or of a resource in it, in the unit of its name. */
export interface Quota {
  readonly name: string;
  readonly value: number;
  /** Whether AWS raises it on request. */
  readonly isAdjustable: boolean;
  readonly source: string;
}

const dynamodb = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';
const partitions =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';
const lambda = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const httpApi = 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html';
const socketApi =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html';

/** The quotas that limit the product on AWS, for a second unless the name says otherwise. */
export const quotas = {
  partitionWrites: {
    name: 'write units of one partition key',
    value: 1_000,
    isAdjustable: false,
    source: partitions,
  },
  partitionReads: {
    name: 'read units of one partition key',
    value: 3_000,
    isAdjustable: false,
    source: partitions,
  },
  tableWrites: {
    name: 'write units of a table, at first',
    value: 4_000,
    isAdjustable: true,
    source: dynamodb,
  },
  tableReads: {
    name: 'read units of a table, at first',
    value: 12_000,
    isAdjustable: true,
    source: dynamodb,
  },
  gatewayRequests: {
    name: 'requests of all APIs of an account, posts to sockets among them',
    value: 10_000,
    isAdjustable: true,
    source: httpApi,
  },
  newConnections: {
    name: 'new sockets of an account',
    value: 500,
    isAdjustable: true,
    source: socketApi,
  },
  concurrency: {
    name: 'functions at work at one moment',
    value: 1_000,
    isAdjustable: true,
    source: lambda,
  },
  concurrencyGrowth: {
    name: 'functions more in 10 s, for each function',
    value: 1_000,
    isAdjustable: false,
    source: lambda,
  },
} as const satisfies Record<string, Quota>;

/**
 * Transactions a second on one item. DynamoDB publishes no limit: a transaction fails while another one works on one of its items.
 * Ours take about 10 ms and are tried up to ten times; at this rate, a third of the first attempts conflict with another.
 */
export const transactionsOnOneItem = 20;
