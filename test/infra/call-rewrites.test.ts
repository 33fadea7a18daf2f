import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callRewrites, rewritten } from '../../infra/bundle/call-rewrites.ts';
import { projectRoot } from '../../infra/project.ts';

const core = join(projectRoot, 'node_modules/@smithy/core');

function rewrittenSource(path: string): string {
  const rewrite = callRewrites.find(([file]) => file.test(join(core, path).replaceAll('\\', '/')));
  if (rewrite === undefined) {
    throw new Error(`${path} is not rewritten`);
  }
  return rewritten(readFileSync(join(core, path), 'utf8'), path, rewrite);
}

test.each([
  'dist-es/submodules/endpoints/middleware-endpoint/endpointMiddleware.js',
  'dist-cjs/submodules/endpoints/index.js',
])('A call of %s finds its endpoint once', (path) => {
  expect(rewrittenSource(path)).toMatch(/let found;[\s\S]*await \(found \?\?= getEndpointFromInstructions\(/);
});

test.each([
  'dist-es/submodules/schema/middleware/schemaSerializationMiddleware.js',
  'dist-es/submodules/schema/middleware/schemaDeserializationMiddleware.js',
  'dist-cjs/submodules/schema/index.js',
])('A call of %s copies no configuration', (path) => {
  expect(rewrittenSource(path)).not.toMatch(/\.\.\.config,\s*\.\.\.context/);
});

test('A file without what is to be rewritten is refused, and so is one with a part of it', () => {
  const [, endpoint] = callRewrites;
  const part = 'return (next, context) => async (args) => {\n if (config.isCustomEndpoint) {';
  for (const source of ['', part]) {
    expect(() => endpoint && rewritten(source, 'file.js', endpoint)).toThrow(/file\.js is not there/);
  }
});
