import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { CodeNeeded, type DeployerCredentials, readDeployerCredentials } from './deployer-credentials.ts';

/** The region and account that a command works on. */
export interface Target {
  readonly region: string;
  /** Undefined when the profile asks for a code, so that only the command itself gets them. */
  readonly credentials: DeployerCredentials | undefined;
}

/** Something is missing. The message is for a person. */
class NotReady extends Error {}

/**
 * The target of a command in this environment; `profile` has precedence over it. `purpose` is a verb for the message, such as `deploy`.
 * @throws `NotReady` when region or credentials are missing, and when their source refuses them.
 */
export async function findTarget(
  purpose: string,
  environment: NodeJS.ProcessEnv,
  profile?: string,
): Promise<Target> {
  const region = await regionIn(environment, profile);
  const credentials = await readDeployerCredentials(environment, { profile, region }).catch(
    (error: unknown) => {
      if (error instanceof CodeNeeded) {
        return error;
      }
      throw new NotReady(`There are no AWS credentials: ${inOneLine(error)}`);
    },
  );
  const missing = [
    ...(credentials === undefined
      ? ['AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)']
      : []),
    ...(region === undefined ? ['a region (AWS_REGION)'] : []),
  ];
  if (region === undefined || missing.length > 0) {
    throw new NotReady(`To ${purpose}, set ${missing.join(' and ')}.`);
  }
  return { region, credentials: credentials instanceof CodeNeeded ? undefined : credentials };
}

/** The region of the environment or of the profile. */
async function regionIn(
  { AWS_REGION, AWS_DEFAULT_REGION }: NodeJS.ProcessEnv,
  profile: string | undefined,
): Promise<string | undefined> {
  const region = AWS_REGION || AWS_DEFAULT_REGION;
  const client = new STSClient({ ...(region && { region }), ...(profile && { profile }) });
  try {
    return await client.config.region();
  } catch {
    return undefined;
  } finally {
    client.destroy();
  }
}

/**
 * The account of the credentials; undefined when the profile asks for a code.
 * @throws `NotReady` when AWS refuses them.
 */
export async function readAccount({ region, credentials }: Target): Promise<string | undefined> {
  if (credentials === undefined) {
    return undefined;
  }
  const client = new STSClient({ maxAttempts: 1, region, credentials });
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand());
    return Account;
  } catch (error) {
    const { name } = error as Error;
    throw new NotReady(`AWS did not say whose credentials these are: ${name}: ${inOneLine(error)}`);
  } finally {
    client.destroy();
  }
}

/** The message of an error, in one line. */
export function inOneLine(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return message.trim().replaceAll(/\s*\n\s*/g, ' ');
}
