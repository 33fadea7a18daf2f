import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Stack } from 'aws-cdk-lib/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildApp, bundledIn } from '../../infra/app.ts';
import { operations } from '../../infra/registry.ts';
import { assembly } from '../harness/assembly.ts';
import { isRequired } from './synthesized.ts';

let outdir: string;
let code: ReturnType<typeof bundledIn>;
beforeEach(async () => {
  code = bundledIn(join(await assembly(), 'functions'));
  outdir = await mkdtemp(join(tmpdir(), 'switchboard-checked-'));
  vi.stubEnv('CDK_VALIDATION', undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(outdir, { recursive: true, force: true });
});

test('The AWS Solutions rules find nothing that is not acknowledged with a reason', async () => {
  const app = await buildApp({ outdir, code });
  expect(() => app.synth()).not.toThrow();
});

test('A resource that breaks a rule stops the synthesis', async () => {
  const few = (await operations()).filter(isRequired);
  const app = await buildApp({ outdir, code, operations: few });
  new CfnBucket(new Stack(app, 'Careless'), 'Bucket');
  const exitCode = process.exitCode;
  expect(() => app.synth()).toThrow(/does not require requests to use SSL/);
  process.exitCode = exitCode;
});
