import { STSClient } from '@aws-sdk/client-sts';
import { fromIni } from '@aws-sdk/credential-provider-ini';

/** Credentials that sign requests to AWS. */
export interface DeployerCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * How many milliseconds to look for credentials that nothing names: other machines would wait long for those of an EC2 instance. There they
 * come within some 10 ms, and a deployer without any is told so within two seconds, half of which go into loading the programs.
 */
const searchMilliseconds = 700;

/** Variables that name a source other than a profile: an identity provider, or the service that runs a container. */
const otherSources = [
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** The profile requires a code from an MFA device, which is good for one request only: `cdk` asks for it. */
export class CodeNeeded extends Error {}

/**
 * The credentials that `cdk deploy` finds in the same environment and with the same `--profile`; undefined when nothing names any and this
 * machine has none of its own. Named sources may take any time, because they may have to ask a person.
 * @throws `CodeNeeded`, and an `Error` with the reason of a source that refuses.
 */
export async function readDeployerCredentials(
  environment: NodeJS.ProcessEnv,
  option: { profile: string | undefined; region: string | undefined },
): Promise<DeployerCredentials | undefined> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (option.profile === undefined && accessKeyId && secretAccessKey) {
    const { AWS_SESSION_TOKEN: sessionToken } = environment;
    return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  }
  const named = option.profile ?? (environment.AWS_PROFILE || environment.AWS_DEFAULT_PROFILE || undefined);
  try {
    const clientConfig = option.region === undefined ? {} : { region: option.region };
    return await fromIni({ profile: named ?? 'default', clientConfig, mfaCodeProvider: refuseToAsk })();
  } catch (error) {
    if (option.profile !== undefined || !saysNothing(error)) {
      throw error;
    }
    const found = await fromOthers(environment);
    if (found === undefined && named !== undefined) {
      throw error;
    }
    return found;
  }
}

async function refuseToAsk(): Promise<never> {
  throw new CodeNeeded();
}

/** Whether there is no such profile, or one without credentials. */
function saysNothing(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Could not resolve credentials using profile');
}

/** Credentials from the other sources that the environment names, or else from the machine itself. */
async function fromOthers(environment: NodeJS.ProcessEnv): Promise<DeployerCredentials | undefined> {
  const client = new STSClient();
  try {
    const found = client.config.credentials();
    return await (otherSources.some((name) => environment[name])
      ? found
      : inTime(found).catch(() => undefined));
  } finally {
    client.destroy();
  }
}

async function inTime<T>(found: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('Too late')), searchMilliseconds);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}
