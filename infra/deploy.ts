// `npm run deploy [-- -c stage=production …]`: `cdk deploy` of all stacks. Says first where they go, or in one line what is missing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import cdk from '../cdk.json' with { type: 'json' };
import { CodeNeeded, type DeployerCredentials, deployerCredentials } from './deployer-credentials.ts';
import { isProgram, projectRoot } from './project.ts';
import { readSettings, type Settings } from './settings.ts';

/** Where a deployment goes. */
export interface Target {
  /** Undefined when only the deployment itself finds out: the profile asks for a code. */
  readonly account: string | undefined;
  readonly region: string;
}

/** For a deployment that does not say whom mail comes from. */
export const noMail =
  'It will send no email, so nobody can be invited and no forgotten password replaced. Set mailFrom: see "Mail" in infra/README.md.';

/** Something is missing; the message is a sentence for a person. */
class NotReady extends Error {}

/** @throws `NotReady` when region or credentials are missing, and when their source or AWS refuses them. */
async function targetOf(environment: NodeJS.ProcessEnv, profile: string | undefined): Promise<Target> {
  const region = await regionIn(environment);
  const credentials = await deployerCredentials(environment, { profile, region }).catch((error: unknown) => {
    if (error instanceof CodeNeeded) {
      return error;
    }
    throw new NotReady(`There are no AWS credentials: ${inOneLine(error)}`);
  });
  const missing = [
    ...(credentials === undefined
      ? ['AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)']
      : []),
    ...(region === undefined ? ['a region (AWS_REGION)'] : []),
  ];
  if (region === undefined || credentials === undefined) {
    throw new NotReady(`To deploy, set ${missing.join(' and ')}.`);
  }
  return {
    account: credentials instanceof CodeNeeded ? undefined : await accountOf(region, credentials),
    region,
  };
}

/** That of the environment or of the profile. */
async function regionIn({ AWS_REGION, AWS_DEFAULT_REGION }: NodeJS.ProcessEnv): Promise<string | undefined> {
  const region = AWS_REGION ?? AWS_DEFAULT_REGION;
  const client = new STSClient(region === undefined ? {} : { region });
  try {
    return await client.config.region();
  } catch {
    return undefined;
  } finally {
    client.destroy();
  }
}

async function accountOf(region: string, credentials: DeployerCredentials): Promise<string> {
  const client = new STSClient({ maxAttempts: 1, region, credentials });
  try {
    const { Account = '' } = await client.send(new GetCallerIdentityCommand());
    return Account;
  } catch (error) {
    const { name } = error as Error;
    throw new NotReady(`AWS did not say whose credentials these are: ${name}: ${inOneLine(error)}`);
  } finally {
    client.destroy();
  }
}

function inOneLine(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return message.trim().replaceAll(/\s*\n\s*/g, ' ');
}

/** The settings that a command line for `cdk deploy` makes. */
export function settingsIn(args: readonly string[]): Settings {
  const stated = optionsIn(args).context.map((text) => {
    const at = text.indexOf('=');
    return at < 0 ? [text, 'true'] : [text.slice(0, at), text.slice(at + 1)];
  });
  return readSettings({ ...cdk.context, ...Object.fromEntries(stated) });
}

function optionsIn(args: readonly string[]): { context: string[]; profile: string | undefined } {
  const { values } = parseArgs({
    args: [...args],
    options: { context: { type: 'string', short: 'c', multiple: true }, profile: { type: 'string' } },
    strict: false, // The others are those of `cdk deploy`.
  });
  const { context = [], profile } = values;
  return {
    context: [context].flat().map(String),
    profile: typeof profile === 'string' ? profile : undefined,
  };
}

if (isProgram(import.meta)) {
  const args = process.argv.slice(2);
  try {
    const { stage, mailFrom } = settingsIn(args);
    const { profile } = optionsIn(args);
    if (profile !== undefined) {
      process.env.AWS_PROFILE = profile;
    }
    const { account, region } = await targetOf(process.env, profile);
    console.log(
      account === undefined
        ? `Deploying the stage ${stage} in ${region}, to the account of a profile that asks for a code.`
        : `Deploying the stage ${stage} to the account ${account} in ${region}.`,
    );
    if (mailFrom === undefined) {
      console.log(noMail);
    }
    const command = ['cdk', 'deploy', '--all', '--require-approval', 'never', ...args];
    const child = spawn(process.execPath, [join(projectRoot, 'infra/launch.mjs'), ...command], {
      stdio: 'inherit',
      env: { ...process.env, AWS_REGION: region },
    });
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
