import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { afterAll, expect, test } from 'vitest';
import { buildApp } from '../../infra/app.ts';
import { loadOperations } from '../../infra/registry.ts';
import { isRequired } from './synthesized.ts';

const folder = await mkdtemp(join(tmpdir(), 'switchboard-repeated-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const few = (await loadOperations()).filter(
  (operation) => isRequired(operation) || operation.name === 'deliver-events',
);

/** The template with the functions, made into this folder. */
async function synthesizedInto(outdir: string): Promise<string> {
  (await buildApp({ outdir, operations: few })).synth();
  return readFile(join(outdir, 'Switchboard.template.json'), 'utf8');
}

test('A synthesis into a folder that has an earlier one is the same as into an empty one: nothing old is deployed', async () => {
  const [empty, used] = [join(folder, 'empty'), join(folder, 'elsewhere/used')];
  const fresh = await synthesizedInto(empty);
  await mkdir(join(used, 'functions/live-changes'), { recursive: true });
  await writeFile(join(used, 'functions/live-changes/earlier-ABCDEFGH.mjs'), 'export const earlier = true;');
  expect(await synthesizedInto(used)).toBe(fresh);
});

test('A new version of the library changes no template by itself: its flags are those that are stated, and no others', async () => {
  const context = { '@aws-cdk/core:checkSecretUsage': true, '@aws-cdk/aws-iam:minimizePolicies': false };
  const app = await buildApp({
    outdir: join(folder, 'flags'),
    operations: few,
    code: Code.fromInline,
    context,
  });
  const flags = Object.entries(app.node.getAllContext()).filter(([name]) => name.startsWith('@aws-cdk'));
  expect(Object.fromEntries(flags)).toEqual(context);
});
