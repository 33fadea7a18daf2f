import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { jsonIn } from '../../shared/kernel/json.ts';
import { type DurableValue, openDurableValue } from './data/durable-file.ts';
import type { Credentials } from './environment.ts';
import { ServiceError, startJsonService } from './json-service.ts';
import type { LocalServer } from './listening.ts';

const Value = z.object({
  SecretString: z.string().min(1).max(65_536),
  /** The token of the request that put it. */
  VersionId: z.string().optional(),
});

/** The value of each secret, by its ARN. */
const Values = z.record(z.string(), Value);
type Values = z.infer<typeof Values>;

const GetSecretValue = z.strictObject({ SecretId: z.string() });
const PutSecretValue = z.strictObject({
  SecretId: z.string(),
  SecretString: Value.shape.SecretString,
  ClientRequestToken: z.string(),
});

/**
 * A stand-in for AWS Secrets Manager on the loopback interface: GetSecretValue and PutSecretValue of the secrets with these ARNs, for
 * whoever has these credentials and is not a web page. Values are kept in `file`, or in memory without one. A new secret has a random text.
 */
export async function startSecrets(options: {
  file?: string;
  arns: string[];
  credentials: Credentials;
}): Promise<LocalServer> {
  const { file, arns, credentials } = options;
  const stored = await openDurableValue({ file, schema: Values, initial: {} });
  await stored.change((values) => {
    const added = arns.filter((arn) => !Object.hasOwn(values, arn)).map((arn) => [arn, randomValue()]);
    return added.length === 0 ? values : { ...values, ...Object.fromEntries(added) };
  });

  return startJsonService({
    contentType: 'application/x-amz-json-1.1',
    credentials,
    perform: (target, body) => perform(target, jsonIn(body.toString()), arns, stored),
  });
}

function randomValue(): z.infer<typeof Value> {
  return { SecretString: randomBytes(24).toString('base64') };
}

async function perform(
  operation: unknown,
  body: unknown,
  arns: string[],
  stored: DurableValue<Values>,
): Promise<object> {
  switch (operation) {
    case 'secretsmanager.GetSecretValue': {
      const arn = known(parsed(GetSecretValue, body).SecretId, arns);
      return { ARN: arn, ...stored.current()[arn] };
    }
    case 'secretsmanager.PutSecretValue': {
      const { SecretId, SecretString, ClientRequestToken: VersionId } = parsed(PutSecretValue, body);
      const arn = known(SecretId, arns);
      await stored.change((values) => {
        const current = values[arn];
        if (current?.VersionId === VersionId && current.SecretString !== SecretString) {
          throw new ServiceError('ResourceExistsException', 'This version has another value already.');
        }
        return { ...values, [arn]: { SecretString, VersionId } };
      });
      return { ARN: arn };
    }
    default:
      throw new ServiceError(
        'UnknownOperationException',
        `The local Secrets Manager has no operation ${operation}.`,
      );
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) {
    return result.data;
  }
  throw new ServiceError('InvalidParameterException', z.prettifyError(result.error));
}

function known(arn: string, arns: string[]): string {
  if (arns.includes(arn)) {
    return arn;
  }
  throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
}
