import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { type DurableValue, durableValue } from './durable-file.ts';
import { type LocalServer, startServer } from './listening.ts';

const Value = z.object({ SecretString: z.string().min(1).max(65_536) });

/** The value of each secret, by its ARN. */
const Values = z.record(z.string(), Value);
type Values = z.infer<typeof Values>;

const GetSecretValue = z.strictObject({ SecretId: z.string() });
const PutSecretValue = z.strictObject({
  SecretId: z.string(),
  ...Value.shape,
  ClientRequestToken: z.string(),
});

class SecretsManagerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * A stand-in for AWS Secrets Manager on the loopback interface: GetSecretValue and PutSecretValue of the secrets with these
 * ARNs. Values are kept in `file`, or in memory when there is none; a new secret holds a random text.
 */
export async function startSecrets(options: { file?: string; arns: string[] }): Promise<LocalServer> {
  const { file, arns } = options;
  const stored = await durableValue({ file, schema: Values, initial: {} });
  await stored.change((values) => {
    const added = arns.filter((arn) => !Object.hasOwn(values, arn)).map((arn) => [arn, randomValue()]);
    return added.length === 0 ? values : { ...values, ...Object.fromEntries(added) };
  });

  const server = createServer(async (request, response) => {
    let status = 200;
    let answer: object;
    try {
      answer = await perform(request, arns, stored);
    } catch (error) {
      const isKnown = error instanceof SecretsManagerError;
      status = isKnown ? 400 : 500;
      answer = {
        __type: isKnown ? error.name : 'InternalServiceError',
        Message: isKnown ? error.message : String(error),
      };
    }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
  });
  return startServer(server, 0);
}

function randomValue(): z.infer<typeof Value> {
  return { SecretString: randomBytes(24).toString('base64') };
}

async function perform(
  request: IncomingMessage,
  arns: string[],
  stored: DurableValue<Values>,
): Promise<object> {
  const body = await json(request).catch(() => undefined);
  switch (request.headers['x-amz-target']) {
    case 'secretsmanager.GetSecretValue': {
      const arn = known(parsed(GetSecretValue, body).SecretId, arns);
      return { ARN: arn, ...stored.current()[arn] };
    }
    case 'secretsmanager.PutSecretValue': {
      const { SecretId, SecretString } = parsed(PutSecretValue, body);
      const arn = known(SecretId, arns);
      await stored.change((values) => ({ ...values, [arn]: { SecretString } }));
      return { ARN: arn };
    }
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

function known(arn: string, arns: string[]): string {
  if (arns.includes(arn)) {
    return arn;
  }
  throw new SecretsManagerError(
    'ResourceNotFoundException',
    "Secrets Manager can't find the specified secret.",
  );
}
