import * as z from 'zod';
import type { Resource } from './assembly.ts';
import { FilterPattern } from './filter-patterns.ts';
import type { Resources } from './resources.ts';

/** A property that changes what a resource does, and that this host does not implement. */
export const unsupported = (what: string) =>
  z.undefined({ error: `the local host does not support ${what}` }).optional();

const Table = z.object({
  KeySchema: z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })),
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  GlobalSecondaryIndexes: unsupported('secondary indexes'),
  LocalSecondaryIndexes: unsupported('secondary indexes'),
  StreamSpecification: z.object({ StreamViewType: z.enum(['NEW_IMAGE', 'NEW_AND_OLD_IMAGES']) }),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.literal(true) }),
});

/** A table as its template defines it, with its physical name. */
export type TablePlan = z.infer<typeof Table> & { name: string };

const Secret = z.object({
  GenerateSecretString: z.strictObject({}),
});

const LambdaFunction = z.object({
  Handler: z.string(),
  Code: z.union([z.object({ S3Key: z.string() }), z.object({ ZipFile: z.string() })]),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).optional(),
  Timeout: z.number(),
  MemorySize: z.number(),
  Layers: unsupported('layers'),
});

const Mapping = z.object({
  EventSourceArn: z
    .string()
    .includes(':dynamodb:', { error: 'the local host supports only table streams and queues' }),
  FunctionName: z.string(),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  BatchSize: z.number(),
  MaximumBatchingWindowInSeconds: z
    .literal(0, { error: 'the local host does not support batching windows' })
    .optional(),
  MaximumRetryAttempts: z.number(),
  MaximumRecordAgeInSeconds: z.number().default(-1),
  BisectBatchOnFunctionError: z.boolean(),
  FunctionResponseTypes: z.array(z.string()),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: FilterPattern })) }),
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }) }),
  Enabled: z.literal(true, { error: 'the local host does not support disabled mappings' }).optional(),
  ParallelizationFactor: z
    .literal(1, { error: 'the local host reads a shard with one batch at a time' })
    .optional(),
});

/** An event source mapping: the function that gets the records of a table's stream, and how it gets them. */
export type StreamPlan = z.infer<typeof Mapping> & {
  /** Identifies the mapping across starts. */
  id: string;
  tableName: string;
};

// Zod's own messages name the property. The kernel's messages, which a process uses once it has loaded the kernel, never repeat input.
const { localeError: namingError } = z.locales.en();

/** Reads a resource's properties. @throws with the resource and the property when this host cannot run them. */
export function read<T>(resources: Resources, resource: Resource, schema: z.ZodType<T>): T {
  const result = schema.safeParse(resources.properties(resource), { error: namingError });
  if (result.success) {
    return result.data;
  }
  const { stack, logicalId, type } = resource;
  throw new Error(
    `The local host cannot run ${stack.name}/${logicalId} (${type}):\n${z.prettifyError(result.error)}`,
  );
}

/** The table. @throws unless there is exactly one, and this host can run it. */
export function table(resources: Resources): TablePlan {
  const resource = only(resources.ofType('AWS::DynamoDB::Table'), 'table');
  return { name: resources.physicalName(resource), ...read(resources, resource, Table) };
}

/** The only element. @throws when there is none, or more than one. */
export function only<T>(found: readonly T[], what: string): T {
  const [first, ...others] = found;
  if (first === undefined || others.length > 0) {
    throw new Error(`The local host runs one ${what}, the templates have ${found.length}.`);
  }
  return first;
}

/** The physical names of the buckets. */
export function bucketNames(resources: Resources): string[] {
  return resources.ofType('AWS::S3::Bucket').map((resource) => resources.physicalName(resource));
}

/** The ARNs of the secrets. */
export function secretArns(resources: Resources): string[] {
  return resources.ofType('AWS::SecretsManager::Secret').map((resource) => {
    read(resources, resource, Secret);
    return resources.ref(resource);
  });
}

/** The folders with the code of functions, by the names that templates have in place of code. */
export type CodeByName = Readonly<Record<string, string>>;

/** A function as its template defines it, with its physical name. */
export interface FunctionDefinition {
  name: string;
  /** For example `index.handler`. */
  handler: string;
  code: { hash: string; directory: string };
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
}

/** Reads a function. Its environment refers to the responses of custom resources, which must be there. */
export function functionDefinition(
  resources: Resources,
  code: CodeByName,
  resource: Resource,
): FunctionDefinition {
  const { Handler, Code, Environment, Timeout, MemorySize } = read(resources, resource, LambdaFunction);
  const hash = 'S3Key' in Code ? Code.S3Key.replace(/\.zip$/, '') : undefined;
  const directory = 'ZipFile' in Code ? code[Code.ZipFile] : resources.assets.get(hash ?? '');
  if (!directory) {
    throw new Error(`The code of ${resource.logicalId} is neither an asset of the assembly nor built.`);
  }
  return {
    name: resources.physicalName(resource),
    handler: Handler,
    // Every build has a folder of its own.
    code: { hash: hash ?? directory, directory },
    environment: Environment?.Variables ?? {},
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
  };
}

/** The mappings of table streams; those of queues are in `queues/queue-plan.ts`. */
export function streams(resources: Resources): StreamPlan[] {
  const Source = z.object({ EventSourceArn: z.string() });
  return resources.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    if (read(resources, resource, Source).EventSourceArn.includes(':sqs:')) {
      return [];
    }
    const mapping = read(resources, resource, Mapping);
    const tableName = mapping.EventSourceArn.split('/')[1] ?? '';
    return [{ id: `${resource.stack.name}/${resource.logicalId}`, tableName, ...mapping }];
  });
}

/** The name of a function, from its ARN, an invocation URI of API Gateway, or the bare name. */
export function functionNameIn(reference: string): string {
  return /:function:([^:/]+)/.exec(reference)?.[1] ?? reference;
}
