// `npm run deploy [-- -c stage=production …]`: `cdk deploy` of all stacks. Says first where they go, or in one line what is missing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import cdk from '../cdk.json' with { type: 'json' };
import { isProgram, projectRoot } from './project.ts';
import { readSettings, type Settings } from './settings.ts';

/** Milliseconds to look for credentials: a machine without any would wait for those of a virtual machine in EC2. */
const patience = 1_500;

/** Where a deployment goes. */
export interface Target {
  readonly account: string;
  readonly region: string;
}

/** Something is missing; the message is a sentence for a person. */
export class NotReady extends Error {}

/** @throws `NotReady` when region or credentials are missing, or when AWS refuses them. */
export async function targetOf(environment: NodeJS.ProcessEnv): Promise<Target> {
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  const client = new STSClient({ maxAttempts: 1, ...(region === undefined ? {} : { region }) });
  try {
    const [found, credentials] = await Promise.all([
      client.config.region().catch(() => undefined),
      inTime(client.config.credentials()).catch(() => undefined),
    ]);
    const missing = [
      ...(credentials === undefined
        ? ['AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)']
        : []),
      ...(found === undefined ? ['a region (AWS_REGION)'] : []),
    ];
    if (found === undefined || missing.length > 0) {
      throw new NotReady(`To deploy, set ${missing.join(' and ')}.`);
    }
    const { Account = '' } = await client.send(new GetCallerIdentityCommand());
    return { account: Account, region: found };
  } catch (error) {
    if (error instanceof NotReady) {
      throw error;
    }
    const { name, message } = error as Error;
    throw new NotReady(`AWS does not say whose credentials these are: ${name}: ${message.split('\n')[0]}`);
  } finally {
    client.destroy();
  }
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

async function inTime<T>(found: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('Too late')), patience);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

if (isProgram(import.meta)) {
  const args = process.argv.slice(2);
  try {
    const { stage } = settingsIn(args);
    const { profile } = optionsIn(args);
    if (profile !== undefined) {
      process.env.AWS_PROFILE = profile;
    }
    const { account, region } = await targetOf(process.env);
    console.log(`Deploying the stage ${stage} to the account ${account} in ${region}.`);
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
