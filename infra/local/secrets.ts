import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { type DurableValue, durableValue } from './durable-file.ts';
import { type LocalServer, startServer } from './listening.ts';

/** A secret of the template, with the value that it has until somebody puts another one. */
export interface LocalSecret {
  arn: string;
  name: string;
  initial: string;
}

const Version = z.object({
  id: z.string(),
  /** Seconds since 1970, as the protocol has them. */
  createdDate: z.number(),
  stages: z.array(z.string()),
  SecretString: z.string().optional(),
  /** In base64, as the protocol has it. */
  SecretBinary: z.string().optional(),
});
type Version = z.infer<typeof Version>;

/** The versions of each secret by its ARN, newest first. */
const Versions = z.record(z.string(), z.array(Version));
type Versions = z.infer<typeof Versions>;

const GetSecretValue = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});

const PutSecretValue = z
  .object({
    SecretId: z.string(),
    ClientRequestToken: z.string().min(32).max(64).optional(),
    SecretString: z.string().min(1).max(65_536).optional(),
    SecretBinary: z.string().min(1).max(87_384).optional(),
    VersionStages: z.array(z.string().min(1)).min(1).max(20).default(['AWSCURRENT']),
  })
  .refine(({ SecretString, SecretBinary }) => (SecretString === undefined) !== (SecretBinary === undefined), {
    error: 'You must provide either SecretString or SecretBinary.',
  });

const DescribeSecret = z.object({ SecretId: z.string() });

class SecretsManagerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * A stand-in for AWS Secrets Manager on the loopback interface: GetSecretValue, PutSecretValue and DescribeSecret.
 * Values are kept in `file`, or in memory when there is none; `initial` counts only for a secret that has no value yet.
 */
export async function startSecrets(options: { file?: string; secrets: LocalSecret[] }): Promise<LocalServer> {
  const { secrets } = options;
  const stored = await durableValue({ file: options.file, schema: Versions, initial: {} });
  await stored.change((versions) => withInitialValues(versions, secrets));

  const server = createServer(async (request, response) => {
    let status = 200;
    let answer: object;
    try {
      answer = await perform(request, secrets, stored);
    } catch (error) {
      status = error instanceof SecretsManagerError ? 400 : 500;
      answer =
        error instanceof SecretsManagerError
          ? { __type: error.name, Message: error.message }
          : { __type: 'InternalServiceError', Message: String(error) };
    }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
  });
  return startServer(server, 0);
}

async function perform(
  request: IncomingMessage,
  secrets: LocalSecret[],
  stored: DurableValue<Versions>,
): Promise<object> {
  const body = await json(request).catch(() => undefined);
  switch (request.headers['x-amz-target']) {
    case 'secretsmanager.GetSecretValue':
      return secretValue(parsed(GetSecretValue, body), secrets, stored.current());
    case 'secretsmanager.DescribeSecret':
      return description(parsed(DescribeSecret, body), secrets, stored.current());
    case 'secretsmanager.PutSecretValue':
      return putSecretValue(parsed(PutSecretValue, body), secrets, stored);
    default:
      throw new SecretsManagerError(
        'UnknownOperationException',
        `The local Secrets Manager has no operation ${request.headers['x-amz-target']}.`,
      );
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) {
    return result.data;
  }
  throw new SecretsManagerError('InvalidParameterException', z.prettifyError(result.error));
}

function secretValue(input: z.infer<typeof GetSecretValue>, secrets: LocalSecret[], all: Versions): object {
  const secret = findSecret(secrets, input.SecretId);
  const versions = all[secret.arn] ?? [];
  const stage = input.VersionStage ?? 'AWSCURRENT';
  const version = versions.find(({ id, stages }) =>
    input.VersionId === undefined ? stages.includes(stage) : id === input.VersionId,
  );
  if (!version) {
    const sought =
      input.VersionId === undefined ? `staging label: ${stage}` : `VersionId: ${input.VersionId}`;
    throw new SecretsManagerError(
      'ResourceNotFoundException',
      `Secrets Manager can't find the specified secret value for ${sought}`,
    );
  }
  if (input.VersionStage !== undefined && !version.stages.includes(input.VersionStage)) {
    throw new SecretsManagerError(
      'InvalidRequestException',
      'You provided a VersionStage that is not associated to the provided VersionId.',
    );
  }
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    VersionStages: version.stages,
    CreatedDate: version.createdDate,
    SecretString: version.SecretString,
    SecretBinary: version.SecretBinary,
  };
}

function description(input: z.infer<typeof DescribeSecret>, secrets: LocalSecret[], all: Versions): object {
  const secret = findSecret(secrets, input.SecretId);
  const versions = all[secret.arn] ?? [];
  return {
    ARN: secret.arn,
    Name: secret.name,
    CreatedDate: versions.at(-1)?.createdDate,
    LastChangedDate: versions[0]?.createdDate,
    VersionIdsToStages: Object.fromEntries(versions.map(({ id, stages }) => [id, stages])),
  };
}

async function putSecretValue(
  input: z.infer<typeof PutSecretValue>,
  secrets: LocalSecret[],
  stored: DurableValue<Versions>,
): Promise<object> {
  const secret = findSecret(secrets, input.SecretId);
  const added = newVersion(
    { SecretString: input.SecretString, SecretBinary: input.SecretBinary },
    input.VersionStages,
    input.ClientRequestToken,
  );
  const all = await stored.change((versions) => ({
    ...versions,
    [secret.arn]: withVersion(versions[secret.arn] ?? [], added),
  }));
  const stages = all[secret.arn]?.find(({ id }) => id === added.id)?.stages;
  return { ARN: secret.arn, Name: secret.name, VersionId: added.id, VersionStages: stages };
}

/** The versions with `added` in front, its staging labels taken from the others; versions left without one are gone. */
function withVersion(versions: Version[], added: Version): Version[] {
  const existing = versions.find(({ id }) => id === added.id);
  if (existing) {
    const same = existing.SecretString === added.SecretString && existing.SecretBinary === added.SecretBinary;
    if (same) {
      return versions;
    }
    throw new SecretsManagerError(
      'ResourceExistsException',
      "You can't modify an existing version, you can only create a new version.",
    );
  }
  const isNewCurrent = added.stages.includes('AWSCURRENT');
  const others = versions.map((version) => {
    if (isNewCurrent && version.stages.includes('AWSCURRENT')) {
      return { ...version, stages: ['AWSPREVIOUS'] };
    }
    const lost = isNewCurrent ? [...added.stages, 'AWSPREVIOUS'] : added.stages;
    return { ...version, stages: version.stages.filter((stage) => !lost.includes(stage)) };
  });
  return [added, ...others.filter(({ stages }) => stages.length > 0)];
}

function withInitialValues(versions: Versions, secrets: LocalSecret[]): Versions {
  const missing = secrets.filter(({ arn }) => !Object.hasOwn(versions, arn));
  if (missing.length === 0) {
    return versions;
  }
  const initial = missing.map(({ arn, initial }) => [
    arn,
    [newVersion({ SecretString: initial }, ['AWSCURRENT'])],
  ]);
  return { ...versions, ...Object.fromEntries(initial) };
}

function newVersion(
  value: Pick<Version, 'SecretString'> & Pick<Version, 'SecretBinary'>,
  stages: string[],
  id: string = randomUUID(),
): Version {
  return { id, createdDate: Date.now() / 1000, stages, ...value };
}

function findSecret(secrets: LocalSecret[], id: string): LocalSecret {
  const secret = secrets.find(
    ({ arn, name }) => arn === id || name === id || arn.replace(/-\w{6}$/, '') === id,
  );
  if (secret) {
    return secret;
  }
  throw new SecretsManagerError(
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret.",
  );
}
