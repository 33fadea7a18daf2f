import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Stack } from 'aws-cdk-lib/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AppOptions, buildApp } from '../../infra/app.ts';
import { loadOperations } from '../../infra/registry.ts';
import { isRequired } from './synthesized.ts';

let outdir: string;
beforeEach(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'switchboard-checked-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(outdir, { recursive: true, force: true });
});

/** The product with the rules, and without CloudFormation's own validation, which `templates.test.ts` asks by itself. */
async function checked(options: AppOptions) {
  vi.stubEnv('CDK_VALIDATION', undefined);
  const app = await buildApp({ outdir, code: Code.fromInline, ...options });
  vi.stubEnv('CDK_VALIDATION', 'false');
  return app;
}

test('The AWS Solutions rules find nothing that is not acknowledged with a reason', async () => {
  const app = await checked({});
  expect(() => app.synth()).not.toThrow();
});

test('A resource that breaks a rule stops the synthesis', async () => {
  const few = (await loadOperations()).filter(isRequired);
  const app = await checked({ operations: few });
  new CfnBucket(new Stack(app, 'Careless'), 'Bucket');
  const exitCode = process.exitCode;
  expect(() => app.synth()).toThrow(/does not require requests to use SSL/);
  process.exitCode = exitCode;
});
