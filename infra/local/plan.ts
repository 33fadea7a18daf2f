import * as z from 'zod';
import type { Assembly, Resource } from './assembly.ts';
import type { FunctionDefinition } from './functions.ts';
import { initialSecretValue, SecretProperties } from './initial-secret.ts';
import type { Resources } from './resources.ts';
import type { LocalSecret } from './secrets.ts';

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const Index = z.object({
  IndexName: z.string(),
  KeySchema,
  Projection: z.object({
    ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']).optional(),
    NonKeyAttributes: z.array(z.string()).optional(),
  }),
});

const Table = z.object({
  KeySchema,
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  GlobalSecondaryIndexes: z.array(Index).default([]),
  LocalSecondaryIndexes: z.array(Index).default([]),
  StreamSpecification: z
    .object({ StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']) })
    .optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

/** A table as its template has it, under its physical name. */
export type TablePlan = z.infer<typeof Table> & { logicalId: string; name: string };

const LambdaFunction = z.object({
  Handler: z.string(),
  Code: z.union([z.object({ S3Key: z.string() }), z.object({ ZipFile: z.string() })]),
  Environment: z
    .object({ Variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])) })
    .optional(),
  Timeout: z.coerce.number().default(3),
  MemorySize: z.coerce.number().default(128),
  Layers: z.undefined({ error: 'layers are not run by the local host' }).optional(),
});

const Mapping = z.object({
  EventSourceArn: z
    .string()
    .includes(':dynamodb:', { error: 'only table streams are run by the local host' }),
  FunctionName: z.string(),
  Enabled: z.boolean().default(true),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  BatchSize: z.number().default(100),
  MaximumBatchingWindowInSeconds: z.number().default(0),
  MaximumRetryAttempts: z.number().default(-1),
  MaximumRecordAgeInSeconds: z.number().default(-1),
  BisectBatchOnFunctionError: z.boolean().default(false),
  FunctionResponseTypes: z.array(z.string()).default([]),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
  DestinationConfig: z
    .object({ OnFailure: z.object({ Destination: z.string().optional() }).optional() })
    .optional(),
  ParallelizationFactor: z
    .literal(1, { error: 'the local host reads a shard with one batch at a time' })
    .optional(),
});

/** An event source mapping: which function a table's stream feeds, and how. */
export type StreamPlan = z.infer<typeof Mapping> & {
  /** Names the mapping from one start to the next. */
  id: string;
  tableName: string;
};

/** Reads a resource's properties; says which resource and which property when they are not what this host can run. */
export function read<T>(resources: Resources, resource: Resource, schema: z.ZodType<T>): T {
  const result = schema.safeParse(resources.properties(resource));
  if (result.success) {
    return result.data;
  }
  const { stack, logicalId, type } = resource;
  throw new Error(
    `The local host cannot run ${stack.name}/${logicalId} (${type}):\n${z.prettifyError(result.error)}`,
  );
}

export function tables(resources: Resources): TablePlan[] {
  return resources.ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map((resource) => ({
    logicalId: resource.logicalId,
    name: resources.physicalName(resource),
    ...read(resources, resource, Table),
  }));
}

export function bucketNames(resources: Resources): string[] {
  return resources.ofType('AWS::S3::Bucket').map((resource) => resources.physicalName(resource));
}

export function secrets(resources: Resources): LocalSecret[] {
  return resources.ofType('AWS::SecretsManager::Secret').map((resource) => ({
    arn: resources.ref(resource),
    name: resources.physicalName(resource),
    initial: initialSecretValue(read(resources, resource, SecretProperties)),
  }));
}

/** Where the code of functions is whose template has nothing but a name in its place: folders by that name. */
export type CodeByName = Readonly<Record<string, string>>;

/** A function as its template has it. Its environment refers to the answers of custom resources: those must be there. */
export function functionDefinition(
  resources: Resources,
  assembly: Assembly,
  code: CodeByName,
  resource: Resource,
): FunctionDefinition {
  const { Handler, Code, Environment, Timeout, MemorySize } = read(resources, resource, LambdaFunction);
  const hash = 'S3Key' in Code ? Code.S3Key.replace(/\.zip$/, '') : undefined;
  const directory = 'ZipFile' in Code ? code[Code.ZipFile] : assembly.assets.get(hash ?? '');
  if (!directory) {
    throw new Error(`The code of ${resource.logicalId} is neither an asset of the assembly nor built.`);
  }
  return {
    name: resources.physicalName(resource),
    handler: Handler,
    // Every build has a folder of its own.
    code: { hash: hash ?? directory, directory },
    environment: Object.fromEntries(
      Object.entries(Environment?.Variables ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
  };
}

export function streams(resources: Resources): StreamPlan[] {
  return resources
    .ofType('AWS::Lambda::EventSourceMapping')
    .map((resource) => {
      const mapping = read(resources, resource, Mapping);
      const tableName = mapping.EventSourceArn.split('/')[1] ?? '';
      return { id: `${resource.stack.name}/${resource.logicalId}`, tableName, ...mapping };
    })
    .filter(({ Enabled }) => Enabled);
}

/** The name of the function in a function's ARN, an invocation URI of API Gateway, or the bare name itself. */
export function functionNameIn(reference: string): string {
  return /:function:([^:/]+)/.exec(reference)?.[1] ?? reference;
}
