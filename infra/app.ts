import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { App, Validations } from 'aws-cdk-lib/core';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { bundle } from './bundle.ts';
import { isProgram } from './project.ts';
import { operations, type Registered } from './registry.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

export interface AppOptions {
  /** Folder for the cloud assembly; the CDK command line's or a new temporary one if absent. */
  outdir?: string;
  /** The operations to deploy; all if absent. */
  operations?: readonly Registered[];
  /** The code of a function, by its name; bundled into the assembly's folder if absent. */
  code?: (name: string) => Code;
}

/**
 * The whole product as a CDK app. `CDK_VALIDATION=false` in the environment skips the checks, which take longer than everything
 * else.
 */
export async function buildApp({ outdir, operations: chosen, code: given }: AppOptions = {}): Promise<App> {
  const registered = chosen ?? (await operations());
  const app = new App({ ...(outdir === undefined ? {} : { outdir }), analyticsReporting: false, context });
  const code = given ?? (await bundledInto(join(app.outdir, 'functions'), registered));

  const { table, bucket, failedBatches, signingSecret, smsSecret } = new StatefulStack(
    app,
    'SwitchboardData',
    {
      description: 'Switchboard: what must outlive every deployment',
      terminationProtection: true,
    },
  );
  new StatelessStack(app, 'Switchboard', {
    description: 'Switchboard: APIs, functions and alarms',
    operations: registered,
    code,
    table,
    bucket,
    failedBatches,
    signingSecret,
    smsSecret,
  });
  if (process.env.CDK_VALIDATION !== 'false') {
    const { AwsSolutionsChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  }
  return app;
}

async function bundledInto(
  folder: string,
  registered: readonly Registered[],
): Promise<(name: string) => Code> {
  await bundle(registered, folder);
  return bundledIn(folder);
}

/** The code of functions bundled into this folder. */
export function bundledIn(folder: string): (name: string) => Code {
  return (name) => Code.fromAsset(join(folder, name));
}

/** Here and not in `cdk.json`, so that tests and the local host get the same templates as the command line. */
const context = {
  ...recommendedFlags,
  // One stack needs the other's table and secrets as long as the product exists.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

if (isProgram(import.meta)) {
  const app = await buildApp();
  app.synth();
}
