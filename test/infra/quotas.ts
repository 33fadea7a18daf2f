/** The quotas of AWS, with their sources. `room` is the share that the templates may use, smaller where they grow with the operations. */
interface Quota {
  readonly most: number;
  readonly room: number;
  readonly source: string;
}

const cloudFormation =
  'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html';
const httpApis = 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html';
const socketApis =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html';
const iam = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html';
const lambda = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';

export const quotas = {
  /** Applies to a template. */
  resources: { most: 500, room: 0.7, source: cloudFormation },
  /** Applies to a stack and all that are nested in it, in one deployment. */
  resourcesWithNested: { most: 2_500, room: 0.9, source: cloudFormation },
  parameters: { most: 200, room: 0.9, source: cloudFormation },
  outputs: { most: 200, room: 0.9, source: cloudFormation },
  templateBytes: { most: 1_000_000, room: 0.9, source: cloudFormation },
  descriptionBytes: { most: 1_024, room: 1, source: cloudFormation },
  /** Applies to an HTTP API. */
  httpRoutes: { most: 300, room: 0.9, source: httpApis },
  httpIntegrations: { most: 300, room: 0.9, source: httpApis },
  accessLogBytes: { most: 3_072, room: 1, source: httpApis },
  /** Applies to a WebSocket API. */
  socketRoutes: { most: 300, room: 0.9, source: socketApis },
  socketIntegrations: { most: 300, room: 0.9, source: socketApis },
  /** Applies to an account, in which three stages stand side by side. */
  roles: { most: 1_000, room: 0.3, source: iam },
  /** Applies to all inline policies of a role together, in characters without white space. */
  inlinePolicies: { most: 10_240, room: 0.9, source: iam },
  managedPolicies: { most: 10, room: 1, source: iam },
  trustPolicy: { most: 2_048, room: 1, source: iam },
  /** Applies to a managed policy, in characters without white space. */
  managedPolicy: { most: 6_144, room: 0.9, source: iam },
  /** Applies to a function. */
  environmentBytes: { most: 4_096, room: 0.9, source: lambda },
  invokePermissionsBytes: { most: 20_480, room: 0.9, source: lambda },
  /** Applies to an event source mapping. */
  filters: {
    most: 5,
    room: 1,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html',
  },
  filterCharacters: {
    most: 4_096,
    room: 1,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html',
  },
  /** Applies to a rule. */
  ruleTargets: {
    most: 5,
    room: 1,
    source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  },
  /** Readers of a shard of a table's stream. */
  streamReaders: {
    most: 2,
    room: 1,
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html',
  },
  /** Calls at once that manage APIs of an account; a resource of an API takes two or three of them. */
  managementCalls: {
    most: 40,
    room: 0.9,
    source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;

/** How much of a quota the templates may use. */
export function usableShare(name: QuotaName): number {
  const { most, room }: Quota = quotas[name];
  return Math.floor(most * room);
}
