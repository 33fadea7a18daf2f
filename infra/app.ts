import { hash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { App, Validations } from 'aws-cdk-lib/core';
import cdk from '../cdk.json' with { type: 'json' };
import { buildFolder, keepUsed } from './build-folder.ts';
import { bundle } from './bundle/bundle.ts';
import { isProgram, projectRoot } from './project.ts';
import { loadOperations, type Registered } from './registry.ts';
import { settingsOfNode } from './settings.ts';
import { hashesOfSources } from './sources.ts';
import { StatefulStack } from './stacks/stateful-stack.ts';
import { StatelessStack } from './stacks/stateless-stack.ts';

export interface AppOptions {
  /** Folder for the cloud assembly; the CDK command line's or a new temporary one if absent. */
  outdir?: string;
  /** The operations to deploy; all if absent. */
  operations?: readonly Registered[];
  /** The code of a function, by its name; bundled into the assembly's folder if absent. */
  code?: (name: string) => Code;
  /** The library's flags and the settings of the deployment; those of `cdk.json` if absent. The command line's have precedence. */
  context?: Readonly<Record<string, unknown>>;
}

/**
 * The whole product as a CDK app. `CDK_VALIDATION=false` in the environment skips the checks, which take longer than everything
 * else.
 */
export async function buildApp({
  outdir,
  operations: chosen,
  code: bundledCode,
  // Passed here and not left to the command line, so that tests and the local host get the same templates. The flags of the library are a
  // list of our own: the recommended ones grow with each version, and would change templates without a change of ours.
  context = cdk.context,
}: AppOptions = {}): Promise<App> {
  const app = new App({ ...(outdir === undefined ? {} : { outdir }), analyticsReporting: false, context });
  const settings = settingsOfNode(app.node);
  const { stage, documentation } = settings;
  const registered = (chosen ?? (await loadOperations())).filter(
    (entry) => documentation || !describesApi(entry),
  );
  const code = bundledCode ?? (await bundledInto(join(app.outdir, 'functions'), registered));

  // CloudFormation gives the tags of a stack to everything in it.
  const named = (id: string) => ({ stackName: `${id}-${stage}`, tags: { product: 'switchboard', stage } });
  const { table, bucket, failedBatches, signingSecret, smsSecret, sealingSecret } = new StatefulStack(
    app,
    'SwitchboardData',
    {
      ...named('SwitchboardData'),
      description: 'Switchboard: what must outlive every deployment',
      terminationProtection: true,
      settings,
    },
  );
  new StatelessStack(app, 'Switchboard', {
    ...named('Switchboard'),
    description: 'Switchboard: APIs, functions and alarms',
    operations: registered,
    code,
    settings,
    table,
    bucket,
    failedBatches,
    signingSecret,
    smsSecret,
    sealingSecret,
  });
  if (process.env.CDK_VALIDATION !== 'false') {
    const { AwsSolutionsChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  }
  return app;
}

/** Whether the operation serves documentation: the page, the documents, or the redirect to the page. */
function describesApi({ operation }: Registered): boolean {
  const { asset } = operation.uses;
  const isDocument = asset !== undefined && !['routes', 'tools', 'workflowNodeTypes'].includes(asset);
  return isDocument || (operation.kind === 'http' && operation.route === 'GET /');
}

async function bundledInto(
  folder: string,
  registered: readonly Registered[],
): Promise<(name: string) => Code> {
  // Files of an earlier synthesis would become part of the functions.
  await rm(folder, { recursive: true, force: true });
  await bundle(registered, folder);
  return bundledIn(folder);
}

/** The code of functions bundled into this folder. */
function bundledIn(folder: string): (name: string) => Code {
  return (name) => Code.fromAsset(join(folder, name));
}

/** The code of all functions, as an earlier command has bundled it if the sources are the same. */
async function bundledBefore(): Promise<(name: string) => Code> {
  const sources = JSON.stringify([process.env.NATIVE_FILES, hashesOfSources(projectRoot)]);
  const name = `lambda-${hash('sha1', sources)}`;
  const folder = join(buildFolder, name);
  if (!existsSync(folder)) {
    // Another command may do the same at the same time: the folder is complete from the beginning.
    const draft = `${folder}-${randomUUID()}`;
    await bundle(await loadOperations(), draft);
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  }
  await keepUsed([name]);
  return bundledIn(folder);
}

if (isProgram(import.meta)) {
  const app = await buildApp({ code: await bundledBefore() });
  app.synth();
}
