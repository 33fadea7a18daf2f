import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib/core';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { bundle } from './bundle.ts';
import { operations, type Registered } from './registry.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

export interface AppOptions {
  /** Folder for the cloud assembly; the CDK command line's, or a new temporary one, when absent. */
  outdir?: string;
  /** What to deploy; every operation of the product when absent. */
  operations?: readonly Registered[];
  /** Folder with the functions as they were bundled before; they are bundled now when absent. */
  code?: string;
}

/**
 * The whole product as a CDK app, its functions bundled into the assembly's folder. `CDK_VALIDATION=false` in the
 * environment leaves out the checks, which take longer than everything else.
 */
export async function buildApp({ outdir, operations: chosen, code: bundled }: AppOptions = {}): Promise<App> {
  const registered = chosen ?? (await operations());
  const app = new App({ ...(outdir === undefined ? {} : { outdir }), analyticsReporting: false, context });
  const code = bundled ?? join(app.outdir, 'functions');
  if (bundled === undefined) {
    await bundle(registered, code);
  }

  const { table, bucket, signingSecret, smsSecret } = new StatefulStack(app, 'SwitchboardData', {
    description: 'Switchboard: what must outlive every deployment',
    terminationProtection: true,
  });
  new StatelessStack(app, 'Switchboard', {
    description: 'Switchboard: APIs, functions and alarms',
    operations: registered,
    code,
    table,
    bucket,
    signingSecret,
    smsSecret,
  });
  if (process.env.CDK_VALIDATION !== 'false') {
    const { AwsSolutionsChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  }
  return app;
}

/** Here and not in `cdk.json`, so that tests and the local host get the same templates as the command line. */
const context = {
  ...recommendedFlags,
  // What one stack takes from the other, the table and the secret, lives as long as the product.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

if (import.meta.main) {
  const app = await buildApp();
  app.synth();
}
